// The text of a built-in function, which V8 writes on one line.
import { apply, defineProperty } from './host.js';

const { toString: ownText } = Function.prototype;
const { endsWith, slice } = String.prototype;
const native = ' {\n    [native code]\n}';

export function installFunctionTexts() {
  const { toString } = {
    toString() {
      const text = apply(ownText, this, []);
      return apply(endsWith, text, [native]) ? `${apply(slice, text, [0, -native.length])} { [native code] }` : text;
    },
  };
  defineProperty(Function.prototype, 'toString', { value: toString, writable: true, configurable: true });
}
