import fc from 'fast-check';
import { code, list, oneOf, rounded } from './code.mjs';

/** Operators, conversions and templates. @param {Record<string, import('fast-check').Arbitrary<string>>} g */
export function operators(g) {
  const arithmetic = oneOf('+', '-', '*', '/', '%', '&', '|', '^', '<<', '>>', '>>>');
  const comparison = oneOf('<', '>', '<=', '>=', '==', '!=', '===', '!==');
  const part = fc.oneof(
    code`\${${g.any}}`,
    code`\${${g.num}}`,
    code`\${${g.str}}`,
    oneOf('a', ' ', ', ', '-', '\\n', ': '),
  );
  return {
    num: [
      code`(${g.num} ${arithmetic} ${g.num})`,
      rounded(code`(${g.num}) ** (${g.num})`),
      code`(${g.any} ${oneOf('-', '*', '/', '%', '|', '>>>')} ${g.any})`,
      code`(${oneOf('-', '+', '~')}${g.any})`,
      code`(${oneOf('- ', '+ ', '~ ')}${g.num})`,
      code`Number(${g.any})`,
      code`parseInt(${g.str})`,
      code`parseInt(${g.any}, ${oneOf('10', '16', '2', '36', '0', '8')})`,
      code`parseFloat(${g.any})`,
      code`(${g.bool} ? ${g.num} : ${g.num})`,
      code`(x += ${g.num})`,
      code`x${oneOf('++', '--')}`,
      code`(${g.num}, ${g.num})`,
      code`(+${g.date})`,
      code`(${g.date} - ${g.date})`,
    ],
    str: [
      code`(${g.str} + ${g.any})`,
      code`(${g.any} + ${g.str})`,
      code`\`${part}${part}\``,
      code`\`${part}${part}${part}\``,
      code`String(${g.any})`,
      code`(typeof ${g.any})`,
      code`(s += ${g.any})`,
      code`(${g.bool} ? ${g.str} : ${g.str})`,
      code`String.raw\`a\\n${part}\``,
      code`(${g.str} + ${g.date})`,
    ],
    bool: [
      code`(${g.num} ${comparison} ${g.num})`,
      code`(${g.str} ${comparison} ${g.str})`,
      code`(${g.any} ${comparison} ${g.any})`,
      code`(${g.date} ${oneOf('<', '>', '<=', '>=')} ${g.date})`,
      code`!${g.any}`,
      code`Boolean(${g.any})`,
      code`(${g.bool} ${oneOf('&&', '||')} ${g.bool})`,
      code`(${g.str} in ${g.obj})`,
      code`(${g.any} instanceof ${oneOf('Array', 'Object', 'Map', 'Date', 'Error')})`,
      code`Object.is(${g.any}, ${g.any})`,
      code`${oneOf('isNaN', 'isFinite', 'Number.isNaN', 'Number.isFinite', 'Number.isInteger', 'Number.isSafeInteger')}(${g.any})`,
      code`Array.isArray(${g.any})`,
    ],
    any: [
      code`(${g.any} + ${g.any})`,
      code`(${g.any} ${oneOf('&&', '||', '??')} ${g.any})`,
      code`(${g.bool} ? ${g.any} : ${g.any})`,
      code`(${g.obj})[${g.any}]`,
      code`(${g.obj})?.${oneOf('a', 'b', 'n', 'zz', 'a?.b', 'length')}`,
      // What stands behind `?.` is evaluated only where there is something to look it up in.
      code`((b) => [${fc.oneof(code`b?.[${g.any}]`, code`b?.${oneOf('at', 'slice', 'concat', 'includes', 'zz', 'a?.b')}(${g.any})`, code`b.${oneOf('at', 'a', 'zz')}?.(x++, ${g.any})`, code`b?.${oneOf('a.b', 'a', 'at(0)')}?.at(${g.num})`)}, x])(${fc.oneof(g.any, oneOf('null', 'undefined'))})`,
      code`(${g.nums})[${g.any}]`,
      code`(${g.str})[${g.num}]`,
      code`void ${g.any}`,
      code`[${list(g.any)}]`,
      code`[${g.num}, , ${g.num}]`,
      code`[...${g.str}]`,
      code`({ ...${g.any}, ${oneOf('a', 'z', '[s]', '[x]', '[`${x}${s}`]')}: ${g.any} })`,
    ],
  };
}
