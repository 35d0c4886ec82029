import fc from 'fast-check';

/** Ways through loops, labels, `switch` and `try` that only the writer of a compiler would think of. */
const { statement } = fc.letrec((tie) => {
  const some = fc.array(tie('statement'), { minLength: 1, maxLength: 3, depthIdentifier: 'control' });
  const node = (kind, parts) => fc.record({ kind: fc.constant(kind), ...parts });
  const jump = fc.oneof(
    node('jump', { how: fc.constantFrom('break', 'continue'), to: fc.nat(3) }),
    node('leave', { how: fc.constantFrom('return', 'throw') }),
  );
  return {
    statement: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'control', depthSize: 'small', withCrossShrink: true },
      node('note', {}),
      node('when', { test: fc.nat(3), chosen: fc.oneof(jump, jump, tie('statement')), other: fc.boolean() }),
      node('loop', { how: fc.nat(7), body: some, isLabelled: fc.boolean() }),
      node('try', { body: some, caught: fc.option(some), last: fc.option(some) }),
      node('switch', {
        cases: fc.array(fc.tuple(some, fc.boolean()), { minLength: 1, maxLength: 3 }),
        other: fc.nat(3),
      }),
      node('block', { body: some }),
      node('closure', {}),
    ),
  };
});

/**
 * Calls of functions that note each step, and end after some. @returns {import('fast-check').Arbitrary<string>}
 */
export function control() {
  return fc.array(statement, { minLength: 1, maxLength: 3, depthIdentifier: 'control' }).map((all) => {
    const body = printAll(all, { names: [], count: { n: 0 } });
    return `((seen, fs) => { let n = 0; const tick = (at) => { seen.push(at); if (++n > 40) throw 'full'; return n; }; const run = () => { ${body} return 'end'; }; let end; try { end = run(); } catch (e) { end = ['thrown', typeof e === 'string' || typeof e === 'number' ? e : e.name]; } return [seen, end, fs.map((f) => f())]; })([], [])`;
  });
}

function printAll(all, scope) {
  return all.map((each) => print(each, scope)).join(' ');
}

/** @param scope `names`: what a jump may lead to, the innermost last; `variable`: that of the innermost loop */
function print(node, scope) {
  const at = scope.count.n++;
  const inner = (target) => ({ ...scope, names: target === undefined ? scope.names : [...scope.names, target] });
  switch (node.kind) {
    case 'note':
      return `tick(${at});`;
    case 'when': {
      const chosen = print(node.chosen, scope);
      const other = node.other ? ` else { tick(${at}); }` : '';
      return `if (tick(${at}) % 4 === ${node.test}) { ${chosen} }${other}`;
    }
    case 'jump':
      return printJump(node, scope);
    case 'leave':
      return node.how === 'return' ? `return tick(${at});` : `throw tick(${at});`;
    case 'loop': {
      const name = `v${at}`;
      const label = node.isLabelled ? `l${at}` : '';
      const body = printAll(node.body, { ...inner({ label, isLoop: true }), variable: name });
      return `${label === '' ? '' : `${label}: `}${loops[node.how](name, body)}`;
    }
    case 'try': {
      const caught = node.caught ?? (node.last === null ? [] : undefined);
      const handler =
        caught === undefined ? '' : ` catch (e) { tick(${at}); if (e === 'full') throw e; ${printAll(caught, scope)} }`;
      const last = node.last === null ? '' : ` finally { ${printAll(node.last, scope)} }`;
      return `try { ${printAll(node.body, scope)} }${handler}${last}`;
    }
    case 'switch': {
      const within = inner({ label: '', isLoop: false });
      const cases = node.cases.map(([body, isOver], index) => {
        const head = index === node.other ? 'default' : `case ${index}`;
        return `${head}: ${printAll(body, within)}${isOver ? ' break;' : ''}`;
      });
      return `switch (tick(${at}) % 3) { ${cases.join(' ')} }`;
    }
    case 'block': {
      const label = `l${at}`;
      return `${label}: { ${printAll(node.body, inner({ label, isLoop: false, isBlock: true }))} }`;
    }
    default:
      return scope.variable === undefined ? `tick(${at});` : `fs.push(() => ${scope.variable}.n ?? ${scope.variable});`;
  }
}

const loops = [
  (name, body) => `for (let ${name} = 0; ${name} < 3; ${name}++) { ${body} }`,
  (name, body) => `for (let ${name} = 0; ${name} < 3; ) { ${name}++; ${body} }`,
  (name, body) => `for (const ${name} of [5, 6]) { ${body} }`,
  (name, body) => `for (const ${name} in { a: 1, b: 2 }) { ${body} }`,
  (name, body) => `for (var ${name} = 0; ${name}++ < 2; ) { ${body} }`,
  (name, body) => `for (let ${name} = 0, more = true; more; more = ${name}++ < 1) { ${body} }`,
  (name, body) => `for (let ${name} = {}; (${name}.n ??= 0) < 2; ${name}.n++) { ${body} }`,
  (name, body) => `for (const [${name}] of new Map([[1, 2], [3, 4]])) { ${body} }`,
];

/** Where there is nothing that it may lead to, it is a step like others. */
function printJump({ how, to }, { names, count }) {
  const targets = names.filter(({ label, isLoop }) => label !== '' && (how === 'break' || isLoop));
  const target = targets[targets.length - 1 - to];
  if (target !== undefined) return `${how} ${target.label};`;
  const isPossible = names.some(({ isLoop, isBlock }) => isLoop || (how === 'break' && !isBlock));
  return isPossible ? `${how};` : `tick(${count.n++});`;
}
