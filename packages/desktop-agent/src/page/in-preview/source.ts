// Finds the source of an element, as far as the framework shows it in development.
import { originalPlace } from './source-map.ts';

export interface Source {
  component?: string;
  file?: string;
  line?: number;
}

type Loose = Record<string, unknown>;

export async function sourceOf(element: Element): Promise<Source> {
  for (let at: Element | null = element; at !== null; at = at.parentElement) {
    const found = fromAttributes(at) ?? fromSvelte(at) ?? fromVue(at) ?? (await fromReact(at));
    if (found !== undefined) return cut(found);
  }
  return {};
}

function cut({ component, file, line }: Source): Source {
  return {
    ...(component !== undefined && component !== '' && { component: component.slice(0, 200) }),
    ...(file !== undefined && file !== '' && { file: file.slice(0, 1_000) }),
    ...(line !== undefined && Number.isInteger(line) && line >= 1 && line <= 10_000_000 && { line }),
  };
}

/** Inspectors write `file:line:column` into an attribute, and Astro has two attributes. */
function fromAttributes(element: Element): Source | undefined {
  const astro = element.getAttribute('data-astro-source-file');
  const place = astro === null ? null : `${astro}:${element.getAttribute('data-astro-source-loc') ?? ''}`;
  const names = ['data-v-inspector', 'data-source-loc', 'data-inspector', 'data-source'];
  const text = [place, ...names.map((name) => element.getAttribute(name))].find((one) => one !== null);
  const [, file, line] = /^(.+?):(\d+)(?::\d+)?$/.exec(text ?? '') ?? [];
  return file === undefined ? undefined : { file, line: Number(line) };
}

function fromSvelte(element: Element): Source | undefined {
  const { loc } = ((element as unknown as Loose)['__svelte_meta'] ?? {}) as {
    loc?: { file?: unknown; line?: unknown };
  };
  return typeof loc?.file === 'string' ? { file: loc.file, line: Number(loc.line) } : undefined;
}

function fromVue(element: Element): Source | undefined {
  const { type } = ((element as unknown as Loose)['__vueParentComponent'] ?? {}) as { type?: Loose };
  if (type === undefined || typeof type['__file'] !== 'string') return undefined;
  const name = type['name'] ?? type['__name'];
  return { file: type['__file'], ...(typeof name === 'string' && { component: name }) };
}

/** The node of React at an element. Up to version 18 it has file and line. In 19 it has the stack of its creation. */
interface Fiber {
  type?: unknown;
  return?: Fiber | null;
  _debugSource?: { fileName?: unknown; lineNumber?: unknown } | null;
  _debugStack?: { stack?: unknown } | null;
}

async function fromReact(element: Element): Promise<Source | undefined> {
  const key = Object.keys(element).find((name) => name.startsWith('__reactFiber$'));
  const fiber = key === undefined ? undefined : ((element as unknown as Loose)[key] as Fiber);
  if (fiber === undefined) return undefined;
  const component = nameOf(fiber);
  for (let at: Fiber | null | undefined = fiber; at; at = at.return) {
    const { fileName, lineNumber } = at._debugSource ?? {};
    if (typeof fileName === 'string') return { ...component, file: fileName, line: Number(lineNumber) };
    const stack = at._debugStack?.stack;
    const place = typeof stack === 'string' ? placeIn(stack) : undefined;
    if (place !== undefined) return { ...component, ...(await originalPlace(place)) };
  }
  return component;
}

/** The name of the component around it. */
function nameOf(fiber: Fiber): { component?: string } {
  for (let at = fiber.return; at; at = at.return) {
    const { type } = at;
    if (typeof type !== 'function') continue;
    const name: unknown = (type as unknown as Loose)['displayName'] ?? type.name;
    if (typeof name === 'string' && name !== '') return { component: name };
  }
  return {};
}

/** The first frame that is in the app's own files. */
function placeIn(stack: string): { url: string; line: number; column: number } | undefined {
  for (const [, url = '', line, column] of stack.matchAll(/(https?:\/\/[^\s()]+?):(\d+):(\d+)/g)) {
    const isOwn = url.startsWith(`${location.origin}/`) && !/\/node_modules\/|\/@|\.vite\//.test(url);
    if (isOwn) return { url, line: Number(line), column: Number(column) };
  }
  return undefined;
}
