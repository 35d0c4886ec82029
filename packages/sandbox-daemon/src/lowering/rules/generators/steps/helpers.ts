import type { Helper } from '../../../helper.ts';

/**
 * What runs a generator that is made of steps. A step gives nothing, further steps, what is open from now on (a loop, a
 * `try`, `yield*`), or what leads out of all that is open: `break`, `continue`, `{ value }` for `return`, an error.
 */
export const stepHelpers: Helper[] = [
  {
    name: 'stepped',
    code: `function __ms_resume(state, how, sent) {
  const { stack } = state;
  if (state.isRunning) throw new TypeError('Generator is already running');
  let isResumed = false;
  if (state.start !== undefined) {
    if (how === 0) stack.push({ nodes: [state.start], at: 0 });
    state.start = undefined;
  } else if (stack.length > 0) {
    isResumed = true;
    if (how === 0 && state.set !== undefined) state.set(sent);
  }
  if (stack.length === 0) {
    if (how === 1) throw sent;
    return { value: how === 2 ? sent : undefined, done: true };
  }
  state.isRunning = true;
  try {
    let said = how === 1 ? { op: 'throw', value: sent } : how === 2 ? { value: sent } : undefined;
    for (;;) {
      try {
        while (said === undefined || isResumed) {
          const frame = stack.at(-1);
          if (isResumed && frame.resume !== undefined) said = frame.resume(how, sent);
          else if (said === undefined) said = frame === undefined ? { value: undefined } : frame.nodes === undefined ? frame.step() : frame.at < frame.nodes.length ? frame.nodes[frame.at++]() : __ms_noStep;
          isResumed = false;
        }
        if (__ms_openers[said.op] !== undefined) said = stack.push(__ms_openers[said.op](said)) && undefined;
      } catch (error) {
        said = { op: 'throw', value: error };
      }
      isResumed = false;
      if (said === undefined) continue;
      const { op } = said;
      if (op === 'yield') {
        state.set = said.set;
        return { value: said.value, done: false };
      }
      if (op === 'end') {
        stack.pop();
        said = undefined;
      } else if (Array.isArray(said)) {
        stack.push({ nodes: said, at: 0 });
        said = undefined;
      } else {
        const left = stack.pop();
        if (left === undefined) {
          if (op === 'throw') throw said.value;
          return { value: said.value, done: true };
        }
        if (left.leave !== undefined) said = left.leave(said, stack);
      }
    }
  } finally {
    state.isRunning = false;
  }
}
function __ms_stepped(start) {
  const state = { start, stack: [], set: undefined, isRunning: false };
  const made = {
    isGenerator: true,
    isUsed: false,
    next: (sent) => __ms_resume(state, 0, sent),
    return: (sent) => __ms_resume(state, 2, sent),
    throw: (error) => __ms_resume(state, 1, error),
    run(step) {
      // A loop that ended early may have left it open, by what it gave then.
      made.isUsed = false;
      for (;;) {
        const { value, done } = __ms_resume(state, 0);
        if (done) return;
        try { step(value); } catch (error) {
          try { __ms_resume(state, 2); } catch (other) { throw error === __ms_stop ? other : error; }
          throw error;
        }
      }
    },
  };
  return made;
}`,
  },
  {
    name: 'openers',
    code: ({ classMembers }) => `const __ms_noStep = { op: 'end' };
function __ms_nextOf(iterator, sent) { return __ms_resultOf(${classMembers.has('next') ? "__ms_call(iterator, 'next', sent)" : 'iterator.next(sent)'}); }
function __ms_closes(iterator) { return Object.hasOwn(iterator, 'return')${classMembers.has('return') ? " || typeof __ms_get(iterator, 'return') === 'function'" : ''}; }
function __ms_close(iterator, value) { return __ms_resultOf(${classMembers.has('return') ? "__ms_call(iterator, 'return', value)" : 'iterator.return(value)'}); }
function __ms_resultOf(result) {
  if (typeof result !== 'object' || result === null) throw new TypeError('Iterator result ' + String(result) + ' is not an object');
  return result;
}
function __ms_isFor(exit, op, labels) { return exit.op === op && (exit.label === undefined || labels.includes(exit.label)); }
function __ms_openLoop(loop) {
  let turn = loop.turn === undefined ? loop : loop.turn(...loop.init);
  let isBegun = false;
  const open = {
    step() {
      if (isBegun) {
        if (loop.turn !== undefined) turn = loop.turn(...turn.names());
        if (turn.update !== undefined) turn.update();
      }
      const isTested = turn.test !== undefined && (isBegun || loop.isLate !== true);
      isBegun = true;
      return isTested && !turn.test() ? __ms_noStep : turn.body();
    },
    leave(exit, stack) {
      if (__ms_isFor(exit, 'continue', loop.labels)) stack.push(open);
      else if (!__ms_isFor(exit, 'break', loop.labels)) return exit;
      return undefined;
    },
  };
  return open;
}
function __ms_openEach({ values, labels, body }) {
  const iterator = __ms_iteratorOf(values);
  let isOpen = false;
  const open = {
    step() {
      isOpen = false;
      const { value, done } = __ms_nextOf(iterator);
      if (done) return __ms_noStep;
      isOpen = true;
      return body(value);
    },
    leave(exit, stack) {
      if (__ms_isFor(exit, 'continue', labels)) { stack.push(open); return undefined; }
      if (isOpen && __ms_closes(iterator)) {
        try { __ms_close(iterator); } catch (error) { if (exit.op !== 'throw') return { op: 'throw', value: error }; }
      }
      return __ms_isFor(exit, 'break', labels) ? undefined : exit;
    },
  };
  return open;
}
function __ms_openTry({ block, handler, finalizer }) {
  let phase = 0;
  let pending;
  const open = {
    step() {
      if (phase === 0) { phase = 1; return block(); }
      if (phase === 3) { phase = 4; return pending === undefined ? __ms_noStep : pending; }
      if (finalizer === undefined) return __ms_noStep;
      phase = 3;
      return finalizer();
    },
    leave(exit, stack) {
      const isCaught = phase === 1 && exit.op === 'throw' && handler !== undefined;
      if (!isCaught && (phase > 2 || finalizer === undefined)) return exit;
      phase = isCaught ? 2 : 3;
      if (!isCaught) pending = exit;
      stack.push(open);
      stack.push({ nodes: [isCaught ? () => handler(exit.value) : finalizer], at: 0 });
      return undefined;
    },
  };
  return open;
}
function __ms_openAll({ values, set }) {
  const iterator = __ms_iteratorOf(values);
  const pass = ({ value, done }) => {
    if (!done) return { op: 'yield', value };
    if (set !== undefined) set(value);
    return __ms_noStep;
  };
  return {
    step() { return pass(__ms_nextOf(iterator)); },
    resume(how, sent) {
      if (how === 0) return pass(__ms_nextOf(iterator, sent));
      if (how === 1) {
        if (Object.hasOwn(iterator, 'throw')) return pass(__ms_resultOf(iterator.throw(sent)));
        if (__ms_closes(iterator)) __ms_close(iterator);
        throw new TypeError('The iterator does not provide a throw method');
      }
      if (!__ms_closes(iterator)) return { value: sent };
      const { value, done } = __ms_close(iterator, sent);
      return done ? { value } : { op: 'yield', value };
    },
  };
}
function __ms_openOnce({ op, body, from, cases, labels }) {
  let isBegun = false;
  return {
    step() {
      if (isBegun) return __ms_noStep;
      isBegun = true;
      return op === 'label' ? body() : cases.slice(from);
    },
    leave(exit) {
      const isFor = exit.op === 'break' && (exit.label === undefined ? op === 'switch' : op === 'label' && labels.includes(exit.label));
      return isFor ? undefined : exit;
    },
  };
}
const __ms_openers = { loop: __ms_openLoop, each: __ms_openEach, try: __ms_openTry, all: __ms_openAll, label: __ms_openOnce, switch: __ms_openOnce };`,
  },
];
