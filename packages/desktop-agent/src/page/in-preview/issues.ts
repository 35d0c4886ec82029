// Reports errors in the page, what it prints as an error, and failed requests.
import { fromPreview } from './channel.ts';
import { replace } from './replace.ts';

const maxText = 4_000;

export function watchIssues(): void {
  watchErrors();
  watchConsole();
  watchFetch();
  watchXhr();
}

function tell(kind: 'page' | 'console' | 'network', text: string): void {
  fromPreview({ type: 'issue', kind, text: text.slice(0, maxText) });
}

function watchErrors(): void {
  const onError = (event: ErrorEvent | Event): void => {
    if (event instanceof ErrorEvent) {
      tell('page', event.error === undefined || event.error === null ? event.message : wordsOf(event.error));
      return;
    }
    // The event of something that could not be loaded comes from its element.
    const { target } = event;
    if (!(target instanceof Element)) return;
    const address = target.getAttribute('src') ?? target.getAttribute('href');
    if (address !== null) tell('network', `${target.localName} could not be loaded: ${shown(address)}`);
  };
  addEventListener('error', onError, true);
  addEventListener('unhandledrejection', ({ reason }) => tell('page', `Unhandled rejection: ${wordsOf(reason)}`));
}

function watchConsole(): void {
  replace(console, 'error', (original) => (...args: unknown[]) => {
    original.apply(console, args);
    tell('console', printed(args));
  });
}

function watchFetch(): void {
  replace(window, 'fetch', (original) => async (input, init) => {
    const what = (): string => {
      const { method, url } = input instanceof Request ? input : { method: 'GET', url: String(input) };
      return `${(init?.method ?? method).toUpperCase()} ${shown(url)}`;
    };
    try {
      const response = await original.call(window, input, init);
      if (response.status >= 400) tell('network', `${what()} → ${response.status} ${response.statusText}`);
      return response;
    } catch (error) {
      const isAborted = (error as { name?: unknown } | null)?.name === 'AbortError';
      if (!isAborted) tell('network', `${what()} failed: ${wordsOf(error)}`);
      throw error;
    }
  });
}

function watchXhr(): void {
  type Open = (this: XMLHttpRequest, ...args: Parameters<XMLHttpRequest['open']>) => void;
  const watched = (original: Open): Open =>
    function open(...args): void {
      const [method, url] = args;
      let isAborted = false;
      this.addEventListener('abort', () => (isAborted = true));
      this.addEventListener('loadend', () => {
        if (isAborted || (this.status > 0 && this.status < 400)) return;
        const how = this.status === 0 ? 'failed' : `→ ${this.status} ${this.statusText}`;
        tell('network', `${method.toUpperCase()} ${shown(String(url))} ${how}`);
      });
      original.apply(this, args);
    };
  replace(XMLHttpRequest.prototype, 'open', (original) => watched(original as Open) as typeof original);
}

/** The path of an address in the app, or the whole of another address. */
function shown(address: string): string {
  const { origin } = location;
  const whole = URL.canParse(address, location.href) ? new URL(address, location.href).href : address;
  return whole.startsWith(`${origin}/`) ? whole.slice(origin.length) : whole.slice(0, 1_000);
}

/** The text as the console prints it. `%s` and the like take the next arguments, and styles are left out. */
function printed([first, ...rest]: unknown[]): string {
  const words: string[] = [];
  if (typeof first === 'string' && first.includes('%')) {
    words.push(
      first.replace(/%[sdifoOc]/g, (mark) => {
        if (rest.length === 0) return mark;
        const next = rest.shift();
        return mark === '%c' ? '' : wordsOf(next);
      }),
    );
  } else if (first !== undefined) words.push(wordsOf(first));
  return [...words, ...rest.map(wordsOf)].join(' ');
}

/** A value as text. Any access to a value of the app may throw. */
function wordsOf(value: unknown): string {
  try {
    if (value instanceof Error) {
      const { stack = '' } = value;
      const head = `${value.name}: ${value.message}`;
      return withoutOrigin(stack.includes(value.message) ? stack : `${head}\n${stack}`);
    }
    if (typeof value === 'string') return value;
    if (typeof value !== 'object' || value === null) return String(value);
    return JSON.stringify(value)?.slice(0, 1_000) ?? Object.prototype.toString.call(value);
  } catch {
    return Object.prototype.toString.call(value);
  }
}

/** Removes the origin of the preview, which would not help a model. */
function withoutOrigin(stack: string): string {
  return stack.replaceAll(location.origin, '').replace(/\?(?:t|v)=[\w-]+/g, '');
}
