import type { Change } from '../plan.ts';
import { EditRefused } from './edit-hunk.ts';
import { blockOfTexts, hasBlocks, parseBlocks } from './search-blocks.ts';
import { isDiff, parseDiff, type FilePatch } from './unified-diff.ts';

const forms =
  'An edit has blocks of <<<<<<< SEARCH, =======, >>>>>>> REPLACE, or a unified diff with @@ before each hunk.';

/**
 * The changes of an edit in the answer of a model: blocks for one file, or a diff for one or more. An edit that cannot be
 * understood becomes a refused change, with an explanation for the model.
 *
 * @param path the path in the tag; '' when the diff names its files
 */
export function changesOfEdit(path: string, body: string): Change[] {
  const text = withoutReturns(body);
  return orRefused(path, () => {
    if (hasBlocks(text)) {
      if (path === '') throw new EditRefused('It names no file: give its path in the tag.');
      return [{ type: 'edit', path, hunks: parseBlocks(text) }];
    }
    if (!isDiff(text)) throw new EditRefused(`It is neither blocks nor a diff. ${forms}`);
    return parseDiff(text).flatMap((patch) => changesOfPatch(path, patch));
  });
}

/** The change that a call of the edit tool makes. */
export function changeOfTexts(path: string, edits: readonly { search: string; replace: string }[]): Change {
  return {
    type: 'edit',
    path,
    hunks: edits.map((one, index) => blockOfTexts(`Block ${index + 1}`, one.search, one.replace)),
  };
}

function orRefused(path: string, read: () => Change[]): Change[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof EditRefused)) throw error;
    return [{ type: 'refused', path: path === '' ? 'an edit' : path, why: error.message }];
  }
}

function changesOfPatch(tagPath: string, patch: FilePatch): Change[] {
  const { from, to, isRename, hunks } = patch;
  const named = to ?? from ?? undefined;
  const path = tagPath === '' ? named : tagPath;
  if (path === undefined) throw new EditRefused('The diff names no file: give its path in the tag.');
  if (tagPath !== '' && named !== undefined && normal(named) !== normal(tagPath)) {
    throw new EditRefused(`The tag is for ${tagPath}, and its diff is for ${named}. Send one tag for each file.`);
  }
  if (to === null) return [{ type: 'delete', path }];
  const edit: Change[] =
    hunks.length === 0 ? [] : [{ type: 'edit', path, hunks, ...(from === null && { isNew: true }) }];
  if (from === null) return edit.length > 0 ? edit : [{ type: 'write', path, content: '' }];
  if (isRename && typeof from === 'string') return [{ type: 'rename', from, to: path }, ...edit];
  if (edit.length === 0) throw new EditRefused(`The diff has no hunk for ${path}.`);
  return edit;
}

function normal(path: string): string {
  return path.replace(/^(?:\.\/)+/, '');
}

/** Removes the `\r` from a text in which every line ends with `\r\n`. It may come from how the message was sent. */
function withoutReturns(text: string): string {
  return /(?<!\r)\n/.test(text) ? text : text.replaceAll('\r\n', '\n');
}
