// Lets a person pick an element by the pointer, or by Tab and Enter.
import { fromPreview } from './channel.ts';
import { sourceOf } from './source.ts';

let end: (() => void) | undefined;

export function stopPicking(): void {
  end?.();
  end = undefined;
}

export function pick(): void {
  stopPicking();
  const mark = makeMark();
  const controller = new AbortController();
  const { signal } = controller;
  const show = (element: Element): void => {
    const { left, top, width, height } = element.getBoundingClientRect();
    Object.assign(mark.style, {
      display: 'block',
      left: `${left}px`,
      top: `${top}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
  };
  const take = (event: Event, element: Element | null): void => {
    event.preventDefault();
    event.stopImmediatePropagation();
    if (element === null || element === document.documentElement) return;
    stopPicking();
    void describe(element).then(fromPreview);
  };
  const on = (name: string, listen: (event: Event) => void): void =>
    addEventListener(name, listen, { capture: true, signal });
  on('pointermove', (event) => event.target instanceof Element && show(event.target));
  on('focusin', (event) => event.target instanceof Element && show(event.target));
  on('click', (event) => take(event, event.target instanceof Element ? event.target : null));
  // While a person picks, the app gets no events of the pointer.
  for (const name of ['pointerdown', 'pointerup', 'mousedown', 'mouseup', 'dblclick', 'contextmenu']) {
    on(name, (event) => {
      event.preventDefault();
      event.stopImmediatePropagation();
    });
  }
  on('keydown', (event) => {
    const { key } = event as KeyboardEvent;
    if (key === 'Enter') take(event, document.activeElement === document.body ? null : document.activeElement);
    else if (key === 'Escape') {
      event.preventDefault();
      event.stopImmediatePropagation();
      stopPicking();
      fromPreview({ type: 'pick-ended' });
    }
  });
  end = () => {
    controller.abort();
    mark.remove();
  };
}

function makeMark(): HTMLElement {
  const mark = document.createElement('div');
  Object.assign(mark.style, {
    position: 'fixed',
    display: 'none',
    pointerEvents: 'none',
    zIndex: '2147483647',
    outline: '2px solid #b8860b',
    outlineOffset: '-1px',
    background: 'rgb(220 174 58 / 20%)',
  });
  return document.documentElement.appendChild(mark);
}

async function describe(element: Element): Promise<Parameters<typeof fromPreview>[0]> {
  const text = (element.textContent ?? '').trim().replace(/\s+/g, ' ').slice(0, 100);
  return { type: 'picked', selector: selectorOf(element).slice(0, 500), text, ...(await sourceOf(element)) };
}

/** A short selector that finds only this element. */
function selectorOf(element: Element): string {
  const steps: string[] = [];
  for (let at: Element | null = element; at !== null && at !== document.documentElement; at = at.parentElement) {
    steps.unshift(stepOf(at));
    const selector = steps.join(' > ');
    if (document.querySelectorAll(selector).length === 1) return selector;
  }
  return steps.join(' > ') || element.localName;
}

function stepOf(element: Element): string {
  const name = CSS.escape(element.localName);
  if (element.id !== '' && element.id.length < 60) return `${name}#${CSS.escape(element.id)}`;
  const classes = [...element.classList].filter((one) => one.length < 40).slice(0, 2);
  const step = name + classes.map((one) => `.${CSS.escape(one)}`).join('');
  const alike = [...(element.parentElement?.children ?? [])].filter((one) => one.matches(step));
  if (alike.length < 2) return step;
  const ofType = [...(element.parentElement?.children ?? [])].filter((one) => one.localName === element.localName);
  return `${step}:nth-of-type(${ofType.indexOf(element) + 1})`;
}
