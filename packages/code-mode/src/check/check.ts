import type { Catalog } from '../catalog.ts';
import type { Entry } from '../entry.ts';
import { Declarations } from './declare.ts';
import type { Finding, Literal, Place } from './process/messages.ts';
import { TypeChecker } from './checker.ts';

export type { Finding } from './process/messages.ts';

const mostShown = 10;

/** Checks scripts before they run. */
export class ScriptCheck {
  readonly #entries: ReadonlyMap<string, Entry>;
  readonly #catalog: Catalog;
  readonly #declarations: Declarations;
  readonly #checker = new TypeChecker();

  constructor(entries: readonly Entry[], catalog: Catalog) {
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]));
    this.#catalog = catalog;
    this.#declarations = new Declarations(entries);
  }

  /** The problems with the calls of tools in a script, in its order. Empty when they cannot be found out. */
  async findings(script: string): Promise<Finding[]> {
    const { namespaces } = this.#declarations;
    const declarations = await this.#declarations.of(script);
    const answer = await this.#checker.check({ declarations, script, namespaces });
    if (answer === undefined) return [];
    const refused = await Promise.all(answer.literals.map((literal) => this.#refused(literal)));
    // The host explains these better than the compiler.
    const own = refused.filter((finding) => finding !== undefined);
    const others = answer.findings.filter((finding) => !own.some((call) => isWithin(finding, call)));
    const all = [...own, ...others.map((finding) => this.#inWords(finding))];
    return all.toSorted((one, two) => one.line - two.line || one.column - two.column);
  }

  /** Findings for a model, each with the signature of its tool. */
  textOf(findings: readonly Finding[]): string {
    const shown = findings
      .slice(0, mostShown)
      .map(({ line, column, message }) => `- Line ${line}:${column}: ${message}`);
    const names = new Set(findings.slice(0, mostShown).map(({ tool }) => tool));
    const signatures = [...names].flatMap((name) => this.#catalog.signature(name) ?? []);
    const more = findings.length > mostShown ? [`- and ${findings.length - mostShown} more`] : [];
    return [...shown, ...more, ...(signatures.length > 0 ? ['```ts', ...signatures, '```'] : [])].join('\n');
  }

  close(): void {
    this.#checker.close();
  }

  async #refused({ tool, value, ...place }: Literal): Promise<(Finding & Pick<Literal, 'end'>) | undefined> {
    const schema = this.#entries.get(tool)?.tool.inputSchema;
    if (schema === undefined) return undefined;
    try {
      const { issues } = await schema['~standard'].validate(value);
      if (issues === undefined) return undefined;
      const problems = issues.map(({ message, path = [] }) =>
        path.length === 0 ? message : `${path.join('.')}: ${message}`,
      );
      return { tool, ...place, message: `${tool}(): ${problems.join('; ').slice(0, 1_000)}` };
    } catch {
      return undefined;
    }
  }

  #inWords(finding: Finding): Finding {
    const { tool, message } = finding;
    if (this.#entries.has(tool)) return { ...finding, message: `${tool}(): ${message.slice(0, 1_000)}` };
    const [space = ''] = tool.split('.', 1);
    const [, meant] = /Did you mean '([\w$]+)'/.exec(message) ?? [];
    const right =
      meant === undefined ? undefined : this.#entries.has(`${space}.${meant}`) ? `${space}.${meant}` : meant;
    const hint = right === undefined ? '.' : `. Did you mean ${right}?`;
    return { ...finding, tool: right ?? tool, message: `There is no tool ${tool}()${hint}` };
  }
}

function isWithin({ line, column }: Place, { line: from, column: start, end }: Place & { end: Place }): boolean {
  const isAfter = line > from || (line === from && column >= start);
  return isAfter && (line < end.line || (line === end.line && column < end.column));
}
