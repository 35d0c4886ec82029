import { Positions, type Insertion } from './positions.ts';
import type { Program } from './program.ts';
import { isFunction, walk, type AnyNode } from './syntax.ts';

type Loop = Extract<AnyNode, { type: 'ForStatement' }>;
type Continue = Extract<AnyNode, { type: 'ContinueStatement' }>;

/** A loop whose `continue` would share variables between turns, and what to write instead. */
interface Shared {
  loop: Loop;
  continues: Continue[];
  label: string;
}

/**
 * Makes `continue` leave a labelled body. In QuickJS a `continue` of `for (let …)` does not give the next turn
 * variables of its own, so functions that were made in both turns share one variable. A `break` out of the body does
 * give new ones.
 *
 *     for (let i = 0; i < 3; i++) { for (let i = 0; i < 3; i++) $0:{
 *       later.push(() => i); → later.push(() => i);
 *       if (i === 1) continue; if (i === 1) break $0;
 *
 * @param tree of the program's code
 */
export function withFreshBindings(program: Program, tree: AnyNode): Program {
  const found = sharedLoops(tree);
  if (found.length === 0) return program;
  const { source, code, positions, waits } = program;
  const written = code.split('');
  const write = (at: number, text: string): void => void written.splice(at, text.length, ...text);
  for (const { continues, label } of found) {
    for (const { start, label: target } of continues) {
      // Both texts have eight letters, so every place in the code stays the same.
      write(start, `break ${label}`);
      if (target) write(target.start, ' '.repeat(target.end - target.start));
    }
  }
  const labels = found.map(({ loop, label }) => ({ at: loop.body.start, text: `${label}:` }));
  for (const { at, text } of labels.toSorted((one, other) => other.at - one.at)) written.splice(at, 0, ...text);
  const result = written.join('');
  const inSource = labels.map(({ at, text }): Insertion => ({ at: positions?.offset(at) ?? at, text }));
  const insertions = [...(positions?.insertions ?? []), ...inSource].toSorted((one, other) => one.at - other.at);
  return { source, code: result, positions: new Positions(source, result, insertions), waits };
}

/** Every `for (let …)` in which a function or a class is made, with its `continue` statements. */
function sharedLoops(tree: AnyNode): Shared[] {
  const labels = labelsOf(tree);
  const free = freeLabels(new Set([...labels.values()].flat()));
  const found: Shared[] = [];
  walk(tree, (loop) => {
    if (loop.type !== 'ForStatement' || loop.init?.type !== 'VariableDeclaration' || loop.init.kind !== 'let') return;
    if (!makesFunction(loop)) return;
    const continues = continuesOf(loop.body, labels.get(loop) ?? []);
    if (continues.length > 0) found.push({ loop, continues, label: free.next().value as string });
  });
  return found;
}

/** The labels of each statement that has any. */
function labelsOf(tree: AnyNode): Map<AnyNode, string[]> {
  const labels = new Map<AnyNode, string[]>();
  walk(tree, (node) => {
    if (node.type === 'LabeledStatement') labels.set(node.body, [...(labels.get(node) ?? []), node.label.name]);
  });
  return labels;
}

/** Labels have two characters, because `break` and a space leave two of the eight letters of `continue`. */
function* freeLabels(taken: ReadonlySet<string>): Generator<string> {
  for (const first of '$_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ') {
    for (let digit = 0; digit < 10; digit++) if (!taken.has(`${first}${digit}`)) yield `${first}${digit}`;
  }
}

function makesFunction(loop: AnyNode): boolean {
  let found = false;
  walk(
    loop,
    (node) => void (found ||= isFunction(node) || node.type === 'ClassBody'),
    () => found,
  );
  return found;
}

/** The `continue` statements of the loop with this body. One without a label belongs to the innermost loop. */
function continuesOf(body: AnyNode, labels: readonly string[]): Continue[] {
  const found: Continue[] = [];
  const look = (node: AnyNode, isInner: boolean): void => {
    walk(
      node,
      (each) => {
        if (each.type !== 'ContinueStatement') return;
        if (each.label ? labels.includes(each.label.name) : !isInner) found.push(each);
      },
      (each) => {
        if (isFunction(each)) return true;
        if (isInner || !isLoop(each)) return false;
        look(each.body, true);
        return true;
      },
    );
  };
  look(body, false);
  return found;
}

function isLoop(node: AnyNode): node is Extract<AnyNode, { type: `${string}Statement`; body: AnyNode }> {
  return /^(?:For(?:In|Of)?|While|DoWhile)Statement$/.test(node.type);
}
