/**
 * Keys of a `package.json` whose values nobody runs or installs. Every other key counts, because a future tool may act
 * on it.
 */
const harmlessKeys: ReadonlySet<string> = new Set([
  ...['name', 'version', 'description', 'keywords', 'author', 'contributors', 'maintainers', 'license', 'homepage'],
  ...['bugs', 'repository', 'funding', 'private'],
]);
const maxNamed = 3;

/**
 * Why a person must allow a change of a `package.json`, given its texts before and after; `undefined` when only
 * harmless keys change.
 *
 * @param before `undefined` when the file is missing, or when its content is not known
 */
export function whyManifestRuns(after: string | undefined, before: string | undefined): string | undefined {
  if (after === undefined) return 'package managers and tools take from it what they install and run';
  const now = parsed(after);
  if (now === undefined) return 'it is not a JSON object, so nobody can say what it makes package managers run';
  const was = (before === undefined ? undefined : parsed(before)) ?? {};
  const keys = [...new Set([...Object.keys(now), ...Object.keys(was)])].filter((key) => !harmlessKeys.has(key));
  const changed = keys.flatMap((key) => changesOf(key, now[key], was[key]));
  if (changed.length === 0) return undefined;
  const more = changed.length > maxNamed ? ` and ${changed.length - maxNamed} more` : '';
  const named = `${changed.slice(0, maxNamed).join(', ')}${more}`;
  return `it changes what package managers and tools install and run: ${named}`;
}

function changesOf(key: string, now: unknown, was: unknown): string[] {
  if (JSON.stringify(now) === JSON.stringify(was)) return [];
  if (!isObject(now) && !isObject(was)) return [key];
  const [after, before] = [isObject(now) ? now : {}, isObject(was) ? was : {}];
  const names = [...new Set([...Object.keys(after), ...Object.keys(before)])];
  const changed = names.filter((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));
  return changed.length === 0 ? [key] : changed.map((name) => `${key}.${name}`);
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    // npm accepts a file with a byte order mark too.
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
