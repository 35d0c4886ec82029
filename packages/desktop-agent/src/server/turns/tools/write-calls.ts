// The calls of the write tools: their arguments, and what they come to.
import { z } from 'zod';
import { changeOfTexts, changesOfEdit, type Change } from '../../changes/index.ts';

const path = z.string().min(1).max(4_096).describe('Relative to the app, with /.');

const edit = z.strictObject({
  search: z.string().describe('Whole lines that occur once in the file, exactly as they are.'),
  replace: z.string().describe('What is there instead.'),
});

export const writeCalls = {
  write_file: z.strictObject({ path, content: z.string().describe('All of the file.') }),
  edit_file: z.strictObject({
    path,
    edits: z.array(edit).max(1_000).optional(),
    diff: z.string().optional().describe('In place of edits: a unified diff of this file.'),
  }),
  rename_file: z.strictObject({ from: path, to: path }),
  delete_file: z.strictObject({ path }),
} as const;

/** What such a tool gives when its change is kept. Also by it the next start knows which were. */
export const proposed =
  'It is in the proposal of your answer, which the person approves or rejects. The app is as before.';

/** `undefined` for a call of another tool. */
export function changeOfCall(name: string, input: unknown): Change | undefined {
  const write = name === 'write_file' && writeCalls.write_file.safeParse(input);
  if (write && write.success) return { type: 'write', ...write.data };
  const edit = name === 'edit_file' && writeCalls.edit_file.safeParse(input);
  if (edit && edit.success) return changeOfEdit(edit.data);
  const rename = name === 'rename_file' && writeCalls.rename_file.safeParse(input);
  if (rename && rename.success) return { type: 'rename', ...rename.data };
  const remove = name === 'delete_file' && writeCalls.delete_file.safeParse(input);
  return remove && remove.success ? { type: 'delete', ...remove.data } : undefined;
}

/** One change: a diff in a call is for the file that the call names. */
export function changeOfEdit({ path, edits, diff }: z.infer<(typeof writeCalls)['edit_file']>): Change {
  const refused = (why: string): Change => ({ type: 'refused', path, why });
  if ((edits === undefined) === (diff === undefined)) return refused('Give either edits or a diff.');
  if (diff === undefined) return changeOfTexts(path, edits ?? []);
  const [change, ...more] = changesOfEdit(path, diff);
  if (change === undefined || more.length > 0) return refused('Give a diff of this one file, without a rename.');
  return change;
}
