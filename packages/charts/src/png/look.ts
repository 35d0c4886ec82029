const anchors = ['start', 'middle', 'end'] as const;
const caps = ['butt', 'round', 'square'] as const;
const joins = ['miter', 'round', 'bevel'] as const;

/** What an element inherits from those around it, and the product of their opacities. */
export interface Look {
  color: string;
  fill: string;
  fillOpacity: number;
  stroke: string;
  strokeOpacity: number;
  strokeWidth: number;
  opacity: number;
  cap: (typeof caps)[number];
  join: (typeof joins)[number];
  anchor: (typeof anchors)[number];
  /** In pixels of the drawing. */
  fontSize: number;
  isBold: boolean;
}

/** What SVG begins with. */
const initial: Look = {
  color: '#000000',
  fill: '#000000',
  fillOpacity: 1,
  stroke: 'none',
  strokeOpacity: 1,
  strokeWidth: 1,
  opacity: 1,
  cap: 'butt',
  join: 'miter',
  anchor: 'start',
  fontSize: 16,
  isBold: false,
};

/** The look of an element, from its own attributes and those around it. */
export function attributesOf(element: Element, around: Look = initial): Look {
  const given = (name: string): string | null => element.getAttribute(name);
  const amount = (name: string, before: number): number => (given(name) === null ? before : numberOf(given(name)));
  const color = given('color') ?? around.color;
  const ink = (name: string, before: string): string => {
    const value = given(name) ?? before;
    return value === 'currentColor' ? color : value;
  };
  const weight = given('font-weight');
  return {
    color,
    fill: ink('fill', around.fill),
    fillOpacity: amount('fill-opacity', around.fillOpacity),
    stroke: ink('stroke', around.stroke),
    strokeOpacity: amount('stroke-opacity', around.strokeOpacity),
    strokeWidth: amount('stroke-width', around.strokeWidth),
    opacity: around.opacity * amount('opacity', 1),
    cap: oneOf(caps, given('stroke-linecap'), around.cap),
    join: oneOf(joins, given('stroke-linejoin'), around.join),
    anchor: oneOf(anchors, given('text-anchor'), around.anchor),
    fontSize: amount('font-size', around.fontSize),
    isBold: weight === null ? around.isBold : weight === 'bold' || Number(weight) >= 600,
  };
}

function oneOf<T extends string>(all: readonly T[], value: string | null, before: T): T {
  return all.find((one) => one === value) ?? before;
}

/** A length in pixels: a plain number, a share of `whole`, or a multiple of the size of the letters. */
export function numberOf(text: string | null, whole = 0, fontSize = 0): number {
  if (text === null) return 0;
  const number = Number.parseFloat(text);
  if (Number.isNaN(number)) throw new Error(`The drawing has a length that is none: ${text.slice(0, 80)}`);
  if (text.endsWith('%')) return (number / 100) * whole;
  return text.endsWith('em') ? number * fontSize : number;
}

/** The steps of the transformation of an element: what is done, and with which numbers. */
export function transformOf(element: Element): ['translate' | 'rotate', ...number[]][] {
  const text = element.getAttribute('transform') ?? '';
  return Array.from(text.matchAll(/([a-zA-Z]+)\(([^)]*)\)/g), ([, kind, list = '']) => {
    if (kind !== 'translate' && kind !== 'rotate') throw new Error(`The drawing is transformed by ${kind}.`);
    return [kind, ...list.split(/[\s,]+/).map((part) => numberOf(part))];
  });
}
