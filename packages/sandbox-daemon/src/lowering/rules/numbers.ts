import type { Helper } from '../helper.ts';
import type { Methods, Rule } from '../rule.ts';
import { isNumeric } from '../numbers.ts';
import type { Rewriter } from '../rewriter.ts';
import { memberName, unwrap, type AnyNode } from '../syntax.ts';

/**
 * `Number` of a Date, an array, an object or a BigInt is refused by the engine, and `BigInt` of an object. A call costs
 * 1 µs, and most values are texts: those are made numbers in place.
 *
 *     Number(x)       →   (typeof x === 'string' ? +x : Number(__ms_toNumber(x)))
 *     BigInt(['5'])   →   __ms_bigInt(['5'])
 *     String()        →   ''
 */
export const number: Rule = {
  id: 'number',
  on: ['CallExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return false;
    const { name } = node.callee;
    const [argument] = node.arguments;
    const nothing = { Number: '0', String: "''" }[name];
    if (argument === undefined && nothing !== undefined && !rewriter.facts.declared.has(name)) {
      rewriter.output.write(nothing, node);
      return true;
    }
    if (name !== 'Number' && name !== 'BigInt') return false;
    if (argument === undefined || argument.type === 'SpreadElement' || node.arguments.length > 1) return false;
    if (rewriter.facts.declared.has(name) || isTextOrNumber(argument)) return false;
    if (name === 'BigInt') {
      rewriter.write(node, `${rewriter.helper('bigInt')}(`, argument, ')');
      return true;
    }
    const helper = rewriter.helper('toNumber');
    if (rewriter.facts.changesGlobals) {
      rewriter.write(node, `Number(${helper}(`, argument, '))');
      return true;
    }
    const kept = argument.type === 'Identifier' ? argument : rewriter.temporary();
    const given = typeof kept === 'string' ? [`(${kept} = (`, argument, '))'] : [kept];
    rewriter.write(node, '(typeof ', ...given, " === 'string' ? +", kept, ` : Number(${helper}(`, kept, ')))');
    return true;
  },
};

/**
 * The engine's own `Math.round` is wrong for halves below 0, and a function in its place costs 1.7 µs a call. Of what is
 * a number it is made in place.
 *
 *     Math.round(a * 100)   →   (t2 = Math.floor(t1 = a * 100), t1 - t2 < 0.5 ? t2 : t2 === -1 ? -0 : t2 + 1)
 */
export const round: Rule = {
  id: 'round',
  on: ['CallExpression'],
  rewrite(node, rewriter) {
    if (node.type !== 'CallExpression' || node.optional || node.arguments.length !== 1) return false;
    const { callee } = node;
    const [argument] = node.arguments as [AnyNode];
    const { declared, numeric, references, changesGlobals } = rewriter.facts;
    if (callee.type !== 'MemberExpression' || !isMath(callee.object) || memberName(callee) !== 'round') return false;
    if (changesGlobals || declared.has('Math') || references.has('BigInt') || !isNumeric(argument, numeric))
      return false;
    const [value, below] = [rewriter.temporary(), rewriter.temporary()];
    rewriter.write(node, `(${below} = Math.floor(${value} = (`, argument, ')), ');
    rewriter.output.write(`${value} - ${below} < 0.5 ? ${below} : ${below} === -1 ? -0 : ${below} + 1)`, node);
    return true;
  },
};

function isTextOrNumber(node: AnyNode): boolean {
  return (
    (node.type === 'Literal' && typeof node.value !== 'bigint') ||
    node.type === 'TemplateLiteral' ||
    isNumeric(node, new Set())
  );
}

/**
 * | script              | engine                 | V8      |
 * | ------------------- | ---------------------- | ------- |
 * | `(2.5).toFixed(0)`  | 2                      | 3       |
 * | `(0.1).toString(3)` | 64 digits              | 34      |
 * | `(99.9).toPrecision(2)` | 100                | 1.0e+2  |
 * | `(2.5).toExponential(0)` | 2e+0              | 3e+0    |
 * | `Math.fround(759.481).toExponential()` | 7.594810180664063e+2 | 7.594810180664062e+2 |
 */
export const numberMethods: Methods = {
  id: 'number-methods',
  names: new Set(['toFixed', 'toString', 'toPrecision', 'toExponential']),
  helperFor: ({ name, args }) => {
    if (name === 'toFixed') return 'toFixed';
    if (args[0]?.type === 'SpreadElement' || (args.length === 0 && name !== 'toExponential')) return undefined;
    return name === 'toString' ? 'toRadix' : name;
  },
};

const inexact = new Set([
  ...['sin', 'cos', 'tan', 'asin', 'acos', 'atan', 'atan2', 'sinh', 'cosh', 'tanh', 'asinh', 'acosh', 'atanh'],
  ...['exp', 'expm1', 'log', 'log1p', 'log2', 'log10', 'cbrt', 'hypot', 'pow'],
]);

/**
 * JavaScript leaves the last digit of these to who makes them, and V8 makes another than the engine for some numbers. To
 * ask V8 costs 50 µs a call, the engine's own function 0.2 µs. Changes nothing but for `Math.max.length`.
 */
export const lastDigit: Rule = {
  id: 'last-digit',
  on: ['MemberExpression', 'BinaryExpression', 'AssignmentExpression'],
  rewrite(node, rewriter) {
    if (node.type === 'MemberExpression') {
      const name = memberName(node);
      const object = unwrap(node.object);
      if (name === 'length' && object.type === 'MemberExpression' && isMath(object.object)) {
        if (!['max', 'min'].includes(memberName(object) ?? '')) return false;
        rewriter.output.write('2', node);
        return true;
      }
      if (isMath(node.object) && (name === undefined || inexact.has(name)))
        warn(node, `Math.${name ?? '[…]'}`, rewriter);
      return false;
    }
    if (node.type !== 'BinaryExpression' && node.type !== 'AssignmentExpression') return false;
    if (node.operator !== '**' && node.operator !== '**=') return false;
    const isWhole = (side: AnyNode): boolean => side.type === 'Literal' && Number.isInteger(side.value);
    if (!(isWhole(unwrap(node.left)) && isWhole(unwrap(node.right)))) warn(node, '**', rewriter);
    return false;
  },
};

function isMath(node: AnyNode): boolean {
  return node.type === 'Identifier' && node.name === 'Math';
}

function warn(node: AnyNode, what: string, rewriter: Rewriter): void {
  rewriter.warn(
    'last-digit',
    `${what} may give another last (16th or 17th) digit than in other JavaScript engines.`,
    node,
  );
}

export const numberHelpers: Helper[] = [
  {
    name: 'toNumber',
    code: `function __ms_toNumber(value) {
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint') return parseFloat(String(value));
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Date) return value.getTime();
  return __ms_ownPrimitive(value, 'valueOf', 'toString');
}`,
  },
  {
    name: 'bigInt',
    code: `function __ms_bigInt(value) {
  if (typeof value === 'function') throw new SyntaxError('Cannot convert a function to a BigInt');
  return BigInt(__ms_num(value));
}`,
  },
  {
    // Of an operand, or of what Math takes: a BigInt is none.
    name: 'operandNumber',
    code: `function __ms_operandNumber(value) {
  const plain = __ms_num(value);
  if (typeof plain === 'bigint') throw new TypeError('Cannot convert a BigInt value to a number');
  return Number(plain);
}`,
  },
  {
    // The digits of `value * 10 ** places`, exactly, a half rounded up: of a number that is not negative. The engine
    // rounds a half to the even digit.
    name: 'scaled',
    code: `function __ms_scaled(value, places) {
  let whole = value;
  let halvings = 0;
  while (!Number.isInteger(whole)) { whole *= 2; halvings++; }
  const above = BigInt(whole) * 10n ** BigInt(Math.max(places, 0));
  const below = 2n ** BigInt(halvings) * 10n ** BigInt(Math.max(-places, 0));
  return String((above * 2n + below) / (below * 2n));
}`,
  },
  {
    name: 'toFixed',
    code: `function __ms_toFixed(value, digits) {
  if (typeof value !== 'number') return value.toFixed(digits);
  const text = value.toFixed(digits);
  const places = Math.trunc(Number(digits)) || 0;
  if (!Number.isFinite(value) || Number.isInteger(value)) return text;
  if (places > 50 || Math.abs(value) > 1e15) {
    const figures = __ms_scaled(Math.abs(value), places).padStart(places + 1, '0');
    const point = figures.length - places;
    return (value < 0 ? '-' : '') + figures.slice(0, point) + (places > 0 ? '.' + figures.slice(point) : '');
  }
  if (!/50*$/.test(value.toFixed(places + 30))) return text;
  const tail = value.toFixed(places + 30).slice(-30);
  if (tail[0] !== '5' || /[1-9]/.test(tail.slice(1))) return text;
  const step = 0.4 / 10 ** places;
  return (value < 0 ? value - step : value + step).toFixed(digits);
}`,
  },
  {
    // Where two texts of that length are as near, the engine takes another one here than for String(value).
    name: 'shortest',
    code: `function __ms_shortest(value) {
  const [plain, added] = String(Math.abs(value)).split('e');
  const [whole, fraction = ''] = plain.split('.');
  const figures = (whole + fraction).replace(/^0+/, '');
  if (figures === '') return '0e+0';
  const power = Number(added ?? 0) + figures.length - fraction.length - 1;
  const others = figures.slice(1).replace(/0+$/, '');
  return (value < 0 ? '-' : '') + figures[0] + (others === '' ? '' : '.' + others) + 'e' + (power < 0 ? '-' : '+') + Math.abs(power);
}`,
  },
  {
    name: 'toExponential',
    code: String.raw`function __ms_toExponential(value, digits) {
  const places = Math.trunc(Number(digits)) || 0;
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value !== 'number' || places < 0 || places > 100) return value.toExponential(digits);
  if (digits === undefined) return __ms_shortest(value);
  if (places > 69) {
    const power = Number(value.toExponential(places).split('e')[1]);
    const figures = __ms_scaled(Math.abs(value), places - power);
    return (value < 0 ? '-' : '') + figures[0] + '.' + figures.slice(1).padEnd(places, '0') + 'e' + (power < 0 ? '-' : '+') + Math.abs(power);
  }
  const [mantissa, exponent] = value.toExponential(places + 31).split('e');
  if (!/50{30}$/.test(mantissa)) return value.toExponential(places);
  const kept = mantissa.slice(0, -31).replace(/[-.]/g, '');
  const above = String(BigInt(kept) + 1n);
  const power = Number(exponent) + (above.length > kept.length ? 1 : 0);
  const fraction = above.slice(1, places + 1);
  return (value < 0 ? '-' : '') + above[0] + (fraction === '' ? '' : '.' + fraction) + 'e' + (power < 0 ? '-' : '+') + Math.abs(power);
}`,
  },
  {
    // The engine counts the digits before it rounds, not after.
    name: 'toPrecision',
    code: `function __ms_toPrecision(value, digits) {
  const count = Math.trunc(Number(digits));
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (typeof value !== 'number' || !(count >= 1 && count <= 100)) return digits === undefined ? value.toPrecision() : value.toPrecision(digits);
  const text = __ms_toExponential(value, count - 1);
  const [mantissa, exponent] = text.split('e');
  const power = Number(exponent);
  if (power < -6 || power >= count) return text;
  const figures = mantissa.replace('-', '').replace('.', '');
  const sign = mantissa.startsWith('-') ? '-' : '';
  if (power < 0) return sign + '0.' + '0'.repeat(-1 - power) + figures;
  return sign + figures.slice(0, power + 1) + (power + 1 < count ? '.' + figures.slice(power + 1) : '');
}`,
  },
  {
    name: 'toRadix',
    code: `function __ms_toRadix(value, radix) {
  const base = Math.trunc(Number(radix));
  if (typeof value !== 'number' || radix === undefined || base === 10 || !(base >= 2 && base <= 36) || Number.isSafeInteger(value) || !Number.isFinite(value)) {
    return value.toString(radix);
  }
  if (Math.abs(value) > 9007199254740991) return __ms_inV8('radix', value, base);
  const digits = '0123456789abcdefghijklmnopqrstuvwxyz';
  const number = Math.abs(value);
  let whole = Math.floor(number);
  let rest = number - whole;
  let exponent = Math.floor(Math.log2(number));
  if (2 ** exponent > number) exponent--;
  else if (2 ** (exponent + 1) <= number) exponent++;
  let delta = Math.max(0.5 * 2 ** (Math.max(exponent, -1022) - 52), 5e-324);
  const places = [];
  if (rest >= delta) {
    do {
      rest *= base;
      delta *= base;
      const digit = Math.floor(rest);
      places.push(digit);
      rest -= digit;
      if ((rest > 0.5 || (rest === 0.5 && digit % 2 === 1)) && rest + delta > 1) {
        for (;;) {
          if (places.length === 0) { whole += 1; break; }
          const last = places.pop();
          if (last + 1 < base) { places.push(last + 1); break; }
        }
        break;
      }
    } while (rest >= delta);
  }
  const fraction = places.map((digit) => digits[digit]).join('');
  return (value < 0 ? '-' : '') + whole.toString(base) + (fraction === '' ? '' : '.' + fraction);
}`,
  },
];
