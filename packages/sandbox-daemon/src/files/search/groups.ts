import type { BuiltinCall } from '../call.ts';
import type { Pattern } from './pattern.ts';

/**
 * Reads one group of a match, by its number or its name; 0 is the whole match.
 *
 * @throws {SandboxError} `invalid_request` when the pattern has no such group
 */
export function groupReader(
  group: number | string,
  { groupCount, groupNames }: Pattern,
  call: BuiltinCall,
): (match: RegExpExecArray) => string | undefined {
  if (typeof group === 'number' && group <= groupCount) return (match) => match[group];
  if (typeof group === 'string' && groupNames.includes(group)) return (match) => match.groups?.[group];
  const names = groupNames.map((name) => JSON.stringify(name)).join(', ');
  const has = groupCount === 0 ? 'no groups' : `the groups 1 to ${groupCount}${names === '' ? '' : ` and ${names}`}`;
  throw call.invalid(`search: the pattern has ${has}, but not ${JSON.stringify(group)}; 0 is the whole match.`);
}

/** Reads all groups of a match, by number and by name; `undefined` for a pattern without groups. */
export function groupsReader({
  groupCount,
}: Pattern): (match: RegExpExecArray) => Record<string, string | null> | undefined {
  if (groupCount === 0) return () => undefined;
  return (match) => {
    const groups: Record<string, string | null> = {};
    for (let at = 1; at <= groupCount; at++) groups[at] = match[at] ?? null;
    for (const [name, value] of Object.entries(match.groups ?? {}) as [string, string | undefined][]) {
      if (name !== '__proto__') groups[name] = value ?? null;
    }
    return groups;
  };
}
