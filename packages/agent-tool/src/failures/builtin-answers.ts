import { builtins, isBuiltinName, type BuiltinName } from '@mustard-sandbox/client';
import type { Answer, Failure } from './failure.ts';
import { list } from './words.ts';

/** The answer to a failed call of a built-in: its arguments were wrong, or the file is missing or not readable. */
export function builtinErrorAnswer(failure: Failure, what: string): Answer {
  const { capability, path, name, thrownCode } = failure.error.details;
  if (thrownCode === 'invalid_request' && capability === 'read_file') {
    return {
      what,
      advice:
        'The form is read_file(path, { start, length, encoding }), with sizes in bytes; each option may be left out.',
      example: `const [path] = list_files();\nread_file(path, { start: 0, length: 4 })`,
    };
  }
  if (thrownCode === 'invalid_request' && isBuiltinName(capability)) {
    return { what, advice: `It is declared so:\n${builtins[capability].declaration}` };
  }
  if (name === 'NotFoundError' && capability === 'read_json' && /nothing is at /.test(what)) {
    return { what, advice: 'Take a key that is there.', example: `read_json(${JSON.stringify(path)})` };
  }
  if (name === 'NotFoundError') return notFoundAnswer(failure, what);
  return { what, advice: byError[name ?? ''] ?? `If nothing here reads it, tell the user what it is.` };
}

/** The key is the name of the error. The message has already said what reads the file, if anything does. */
const byError: Readonly<Record<string, string>> = {
  QueryError:
    "Look at the table, then mend the SQL: query('describe t', { t: path }).rows shows its columns and their types, query('select * from t limit 3', { t: path }).rows how its values look. a::double casts.",
  NotJsonError:
    'Look at how it begins: read_file(path, { length: 200 }). Of text the lines are read by lines and search.',
};

function notFoundAnswer({ context, error }: Failure, what: string): Answer {
  const isAttachment = error.details.path?.startsWith('attachments:') ?? false;
  const there =
    isAttachment && context.attachments?.length ? ` There are: ${attachmentNames(context.attachments)}.` : '';
  const folder = isAttachment ? `'attachments:'` : '';
  return {
    what,
    advice: `List the files before you read one. Names must match exactly.${there}`,
    example: `const there = list_files(${folder});\nthere.slice(0, 20)`,
  };
}

export function attachmentNames(names: readonly string[]): string {
  return list(names.map((name) => `attachments:${name}`));
}

/**
 * The answer to a limit of a built-in other than `read_file`, whose message says how much there is and what to ask for
 * instead.
 */
export function builtinLimitAnswer({ error }: Failure): Answer | undefined {
  const { capability, limit } = error.details;
  if (!isBuiltinName(capability) || capability === 'read_file' || limit === 'total_read_bytes') return undefined;
  const [what, ...advice] = error.message.split(/(?<=\.) (?=[A-Z])/);
  return { what: what as string, advice: advice.join(' ') || 'Ask for less at a time.' };
}

const parts: Partial<Record<BuiltinName, string>> = {
  read_json: "read_json(path, { pointer, offset, limit }) takes a part of an array, '$.items[*].id' one field of each.",
  query: 'query can count, sum and sort before anything gets out: group by, limit.',
  search: 'search can count: { count: true }, or by a group: { by: 1, top: 5 }.',
};

/** How a built-in that the script calls can give less, for a value that is too large. */
export function lessFromBuiltins({ context: { script } }: Failure): string {
  const [first] = (Object.keys(parts) as BuiltinName[]).filter((name) => script.includes(`${name}(`));
  return first === undefined ? '' : ` ${parts[first]}`;
}

/** Explains a line that misunderstands the value of a built-in. */
export function misused(failure: Failure): string | undefined {
  const { construct } = failure.error.details;
  const { code } = failure;
  if (construct === 'not_callable' || construct === 'missing_member') {
    if (/\blines\(/.test(code)) return 'Loop over it: for (const line of lines(path)). read_lines(path) gives a list.';
    if (/\bquery\(/.test(code)) return 'query gives { rows, truncated }: take its .rows.';
  }
  if (construct === 'nullish_access' && /\bread_json\([^{]*?\)\s*[.[]/.test(code)) {
    return "Without options read_json gives the shape of a file; { pointer: '' } gives what is in it, { pointer: '/items' } a part.";
  }
  return undefined;
}
