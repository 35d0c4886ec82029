/**
 * Adds the attributes to cookies without which a frame of another site does not get them. The proxy does the same for cookies
 * of the server.
 */
export function keepCookies(): void {
  const cookie = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
  Object.defineProperty(document, 'cookie', {
    configurable: true,
    enumerable: true,
    get: () => cookie?.get?.call(document) as unknown,
    set(given: unknown) {
      const [pair = '', ...attributes] = String(given).split(';');
      const kept = attributes.filter((one) => !/^\s*(?:samesite|secure|partitioned)\s*(?:=|$)/i.test(one));
      cookie?.set?.call(document, [pair, ...kept, ' SameSite=None', ' Secure', ' Partitioned'].join(';'));
    },
  });
}
