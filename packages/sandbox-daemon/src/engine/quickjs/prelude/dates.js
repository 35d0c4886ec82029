// Two things about dates in which V8 and QuickJS differ: the name of the time zone, which is always UTC here, and texts
// that are dates although the standard does not define their form.
import { apply, askV8, defineProperty } from './host.js';

const Own = Date;
const { parse: ownParse } = Own;
const { exec } = RegExp.prototype;

/**
 * Forms that QuickJS reads as V8 does: those of the standard, and the form of most logs. QuickJS would accept the 32nd
 * of a month.
 */
const standard =
  /^(?:\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])(?:T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?)?|[1-9]\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d)$/;
const isStandard = (text) => apply(exec, standard, [text]) !== null;

function timeOf(text) {
  return isStandard(text) ? ownParse(text) : (askV8('parseDate', text) ?? NaN);
}

function DateInUtc(first) {
  if (new.target === undefined) return new Own().toString();
  if (arguments.length === 1 && new.target === DateInUtc) {
    return new Own(typeof first === 'string' && !isStandard(first) ? timeOf(first) : first);
  }
  return Reflect.construct(Own, arguments, new.target);
}

function withZone(method) {
  const zone = ' (Coordinated Universal Time)';
  return {
    [method.name]() {
      const text = apply(method, this, []);
      return text.endsWith('+0000') ? text + zone : text;
    },
  }[method.name];
}

/** A part that is not a number makes the date invalid. QuickJS returns NaN but leaves the date unchanged. */
function withInvalid(method) {
  const own = {
    [method.name](...parts) {
      const time = apply(method, this, parts);
      if (time !== time) apply(setTime, this, invalid);
      return time;
    },
  }[method.name];
  return defineProperty(own, 'length', { value: method.length, configurable: true });
}
// oxlint-disable-next-line typescript/unbound-method -- it is applied
const { setTime } = Own.prototype;
const invalid = [NaN];

export function installDates() {
  const hidden = (object, name, value) => defineProperty(object, name, { value, writable: true, configurable: true });
  const { parse } = {
    parse(text) {
      return timeOf(String(text));
    },
  };
  hidden(DateInUtc, 'parse', parse);
  hidden(DateInUtc, 'now', Own.now);
  hidden(DateInUtc, 'UTC', Own.UTC);
  defineProperty(DateInUtc, 'name', { value: 'Date', configurable: true });
  defineProperty(DateInUtc, 'length', { value: 7, configurable: true });
  defineProperty(DateInUtc, 'prototype', { value: Own.prototype, writable: false });
  hidden(Own.prototype, 'constructor', DateInUtc);
  hidden(globalThis, 'Date', DateInUtc);
  for (const name of Object.getOwnPropertyNames(Own.prototype)) {
    if (/^set(?!Time$)/.test(name)) hidden(Own.prototype, name, withInvalid(Own.prototype[name]));
  }
  for (const method of [Own.prototype.toString, Own.prototype.toTimeString]) {
    hidden(Own.prototype, method.name, withZone(method));
  }
}
