// What V8 says of a date and QuickJS does not: the name of the zone, which is always UTC here.

export function installDates() {
  const { toString, toTimeString } = Date.prototype;
  const zone = ' (Coordinated Universal Time)';
  const withZone = (method) =>
    ({
      [method.name]() {
        const text = Reflect.apply(method, this, []);
        return text.endsWith('+0000') ? text + zone : text;
      },
    })[method.name];
  for (const method of [toString, toTimeString]) {
    Object.defineProperty(Date.prototype, method.name, { value: withZone(method), writable: true, configurable: true });
  }
}
