/**
 * Gives the app a storage if the browser refuses it. A frame of another site has none if a person blocks third-party cookies,
 * and most apps fail without one. It lasts as long as the page.
 *
 * @returns whether that was needed
 */
export function keepStorage(): boolean {
  const refused = (['localStorage', 'sessionStorage'] as const).filter((name) => {
    try {
      return window[name] === null;
    } catch {
      return true;
    }
  });
  for (const name of refused)
    Object.defineProperty(window, name, { configurable: true, enumerable: true, value: memoryStorage() });
  return refused.length > 0;
}

function memoryStorage(): Storage {
  const items = new Map<string, string>();
  const methods = {
    getItem: (key: unknown) => items.get(String(key)) ?? null,
    setItem: (key: unknown, value: unknown) => void items.set(String(key), String(value)),
    removeItem: (key: unknown) => void items.delete(String(key)),
    clear: () => items.clear(),
    key: (index: number) => [...items.keys()][index] ?? null,
  };
  return new Proxy(methods as Storage, {
    get: (target, key) => {
      if (key === 'length') return items.size;
      return key in target
        ? (Reflect.get(target, key) as unknown)
        : typeof key === 'string'
          ? items.get(key)
          : undefined;
    },
    set: (_, key, value) => (items.set(String(key), String(value)), true),
    deleteProperty: (_, key) => (items.delete(String(key)), true),
    has: (target, key) => key in target || items.has(String(key)),
    ownKeys: () => [...items.keys()],
    getOwnPropertyDescriptor: (_, key) => {
      const value = items.get(String(key));
      return value === undefined ? undefined : { value, configurable: true, enumerable: true, writable: true };
    },
  });
}
