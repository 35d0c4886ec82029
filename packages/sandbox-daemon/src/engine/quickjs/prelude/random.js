// Every run begins with the same memory, and so with the same seed. Random numbers therefore come from the sidecar.
import { defineProperty, someRandom } from './host.js';

export function installRandom() {
  // Several are fetched at once, because a call for each would take ten times as long.
  let numbers = [];
  const { random } = {
    random() {
      if (numbers.length === 0) numbers = someRandom();
      return numbers.pop();
    },
  };
  defineProperty(Math, 'random', { value: random, writable: true, configurable: true });
}
