import type { Connection, DuckDB } from './duckdb.ts';
import { allowedFunctions, allowedTableFunctions } from './functions.ts';

/** The prefixes of DuckDB's own views. The views of settings show paths of the host. */
const ownViews = /^(?:duckdb|pg|sqlite|pragma)_/i;

const onlySelect = 'only a SELECT statement is allowed: it reads, and does nothing else.';

type Tree = Record<string, unknown>;

/** `why` completes the sentence "query: …". */
interface Refusal {
  why: string;
  /** The SQL asks for nothing forbidden, but for something that does not exist. */
  isMistake?: true;
}

/**
 * Why a script may not run this SQL; `undefined` when it may. DuckDB itself parses it. It must be one statement, which
 * DuckDB classifies as a SELECT, and it must read nothing but `tables`. SQL that passes is still run without access to
 * anything else.
 *
 * @throws {Error} DuckDB's error for text that is not SQL
 */
export async function refusalOf(
  sql: string,
  tables: readonly string[],
  connection: Connection,
): Promise<Refusal | undefined> {
  const { count } = await connection.extractStatements(sql);
  if (count !== 1) {
    const pivot = /^\s*pivot\b/i.test(sql) ? ' A PIVOT needs its values: PIVOT … ON column IN (…).' : '';
    return { why: `the SQL must be exactly one SELECT statement, and this is ${count}.${pivot}` };
  }
  const serialized = await connection.runAndReadAll('SELECT json_serialize_sql($1::VARCHAR)::VARCHAR', [sql]);
  const tree = JSON.parse(String(serialized.getRows()[0]?.[0])) as Tree;
  if (tree['error'] === true) return { why: onlySelect };
  const names = new Set(tables.map((name) => name.toLowerCase()));
  const found = new Findings();
  found.visit(tree);
  return found.refusal(names) ?? (await refusalOfFunctions(found.functions, connection));
}

/**
 * Refuses functions that are not on the list. Whatever DuckDB folds while it plans could read settings before a later
 * check.
 */
async function refusalOfFunctions(names: Iterable<string>, connection: Connection): Promise<Refusal | undefined> {
  for (const name of names) {
    if (allowedFunctions.has(name) || allowedTableFunctions.has(name)) continue;
    const known = await connection.runAndReadAll('SELECT 1 FROM duckdb_functions() WHERE function_name = $1', [name]);
    if (known.currentRowCount > 0) return { why: `${name}() cannot be called.` };
    const closest = await connection.runAndReadAll(
      "SELECT x FROM (SELECT unnest(string_split($1, ' ')) x) ORDER BY jaro_winkler_similarity(x, $2) DESC LIMIT 1",
      [[...allowedFunctions].join(' '), name],
    );
    return {
      why: `there is no function ${name}(). Did you mean ${String(closest.getRows()[0]?.[0])}()?`,
      isMistake: true,
    };
  }
  return undefined;
}

/** Why a statement is refused for its type, which DuckDB knows after its tables exist. */
export async function refusalOfType(sql: string, duckdb: DuckDB, connection: Connection): Promise<Refusal | undefined> {
  const statement = await (await connection.extractStatements(sql)).prepare(0);
  const { statementType } = statement;
  statement.destroySync();
  return statementType === duckdb.StatementType.SELECT ? undefined : { why: onlySelect };
}

/** The names in a statement, at any depth. */
class Findings {
  readonly functions = new Set<string>();
  readonly #tableFunctions = new Set<string>();
  readonly #tables: { name: string; place: string }[] = [];
  readonly #withs = new Set<string>();

  visit(node: unknown): void {
    if (Array.isArray(node)) return node.forEach((item) => this.visit(item));
    if (typeof node !== 'object' || node === null) return;
    this.#note(node as Tree);
    for (const value of Object.values(node)) this.visit(value);
  }

  refusal(tables: ReadonlySet<string>): Refusal | undefined {
    for (const name of this.#tableFunctions) {
      if (!allowedTableFunctions.has(name)) {
        const instead = "A file is read as a table: query(sql, { t: 'attachments:name' }) and FROM t.";
        return { why: `${name}() cannot be called. ${instead}` };
      }
    }
    for (const name of [...this.#withs, ...tables]) {
      if (ownViews.test(name)) return { why: `a table cannot be called ${name}: DuckDB has a view of that name.` };
    }
    for (const { name, place } of this.#tables) {
      if (place === '' && (tables.has(name) || this.#withs.has(name))) continue;
      const given = tables.size === 0 ? 'none was given' : `there is ${[...tables].join(', ')}`;
      // A path in FROM is 'a.csv', or a.csv without quotes, which is a table of a schema.
      const isPath = place !== '' || /[^\p{L}\p{N}_]/u.test(name);
      const how = isPath
        ? `A file gets a name: query('select * from t', { t: '${place}${name}' }).`
        : `Name each file: query(sql, { ${name}: 'attachments:name' }).`;
      return { why: `there is no table ${place}${name}; ${given}. ${how}`, isMistake: true };
    }
    return undefined;
  }

  #note(node: Tree): void {
    const { type } = node;
    const text = (key: string): string => lowered(node[key]);
    if (type === 'TABLE_FUNCTION') {
      this.#tableFunctions.add(lowered((node['function'] as Tree)['function_name']));
    }
    if (typeof node['function_name'] === 'string') this.functions.add(text('function_name'));
    if (type === 'BASE_TABLE') {
      const place = [text('catalog_name'), text('schema_name')].filter((part) => part !== '').map((part) => `${part}.`);
      this.#tables.push({ name: text('table_name'), place: place.join('') });
    }
    if (typeof node['cte_name'] === 'string') this.#withs.add(text('cte_name'));
    const map = (node['cte_map'] as { map?: { key: string }[] } | undefined)?.map ?? [];
    for (const { key } of map) this.#withs.add(key.toLowerCase());
  }
}

function lowered(value: unknown): string {
  return typeof value === 'string' ? value.toLowerCase() : '';
}
