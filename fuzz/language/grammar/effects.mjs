import fc from 'fast-check';
import { code, oneOf } from './code.mjs';

/** Expressions of which each part says that it was evaluated, and may be nothing, a text, a list, an object or a function. */
const { value } = fc.letrec((tie) => {
  const v = tie('value');
  const key = fc.oneof(oneOf("'a'", "'m'", "'zz'", '0'), code`t(${oneOf("'a'", "'m'", '0', "'length'")})`);
  const name = oneOf('a', 'm', 'zz', 'length', 'n');
  const place = fc.oneof(code`o.${oneOf('a', 'n', 'zz')}`, code`o[${key}]`, code`t(o)[${key}]`, oneOf('x'));
  const called = fc.array(v, { maxLength: 2 }).map((all) => `(${all.join(', ')})`);
  return {
    value: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'effects', depthSize: 'small', withCrossShrink: true },
      oneOf('t(1)', "t('b')", 't(null)', 't(undefined)', 't(o)', 't(o.m)', 't(list)', 'x', 'o', 't(0)', 't(made())'),
      code`(${v})?.${name}`,
      code`(${v})?.[${key}]`,
      code`(${v})?.${name}${called}`,
      code`(${v})?.${name}?.${called}`,
      code`(${v})?.${called}`,
      code`(${v}).${name}?.${called}`,
      code`(${v})?.${name}.${name}`,
      code`(${v})?.${name}?.[${key}].${name}`,
      code`o.m${called}?.${name}${called}`,
      code`o.m${called}`,
      code`list?.at${called}`,
      code`(${v} ${oneOf('&&', '||', '??')} (${v}))`,
      code`((${v}) ? ${v} : ${v})`,
      code`(${v}, ${v})`,
      code`[${v}, ...(${oneOf('t(list)', "t('xy')", '[t(1), t(2)]')}), ${v}]`,
      code`({ a: ${v}, [${key}]: ${v}, ...(${v}), get b() { return ${v}; } })`,
      code`typeof (${v})`,
      code`(${v} === ${v})`,
      code`(${place} = ${v})`,
      code`(${place} ${oneOf('??=', '||=', '&&=')} ${v})`,
      code`(x = ${v})`,
      code`(x ${oneOf('??=', '||=', '&&=')} ${v})`,
      code`(({ a: x = ${v} } = ${v}), x)`,
      code`(({ a, zz: b = ${v}, ...c }) => [a, b, Object.keys(c)])(${v})`,
      code`((a, b = ${v}, c = [a, b]) => c)(${v}, ${oneOf('undefined', 't(5)', 'null')})`,
      code`(() => { const [a = ${v}, b = ${v}] = [${v}]; return [a, b]; })()`,
      code`(() => { try { return ${v}; } catch (e) { return [e.name, ${v}]; } finally { ${v}; } })()`,
      code`delete o?.[${oneOf("'a'", "'zz'")}]`,
      code`(${key} in o)`,
    ),
  };
});

/** Programs whose parts are evaluated in an order that shows, and only where JavaScript evaluates them. */
export function effects() {
  return code`(() => {
    const seen = []; let x = 0;
    const show = (v) => (typeof v === 'function' ? 'f' : v === o ? 'o' : v === list ? 'list' : Array.isArray(v) ? v.map(show) : typeof v === 'object' && v !== null ? Object.keys(v) : v);
    const t = (v) => { seen.push(show(v)); return v; };
    const list = [1, 2]; const made = () => ({ n: 3, m: (y) => t(y) });
    const o = { a: list, n: null, m(...all) { seen.push('m' + all.length, this === o); return all[0]; } };
    let end; try { end = show(${value}); } catch (e) { end = e.name; }
    return [seen, end, Object.keys(o), show(x)];
  })()`;
}
