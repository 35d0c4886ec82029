// Code from texts is refused with a message.

export function refuseCode() {
  const refuse = (name) =>
    function () {
      throw new TypeError(`${name} is not available here: write the code into the script itself`);
    };
  globalThis.eval = refuse('eval');
  const makers = [function () {}, function* () {}, async function () {}, async function* () {}];
  for (const maker of makers) {
    const prototype = Object.getPrototypeOf(maker);
    const { name } = prototype.constructor;
    const refused = refuse(name);
    Object.defineProperty(refused, 'name', { value: name, configurable: true });
    Object.defineProperty(refused, 'prototype', { value: prototype });
    Object.defineProperty(prototype, 'constructor', { value: refused, writable: true, configurable: true });
    if (name === 'Function') globalThis.Function = refused;
  }
}
