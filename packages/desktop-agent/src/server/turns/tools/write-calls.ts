// The calls of the write tools: their arguments, and what they come to.
import { z } from 'zod';
import type { Change } from '../../changes/index.ts';

const path = z.string().min(1).max(4_096).describe('Relative to the app, with /.');

export const writeCalls = {
  write_file: z.strictObject({ path, content: z.string().describe('All of the file.') }),
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
  const rename = name === 'rename_file' && writeCalls.rename_file.safeParse(input);
  if (rename && rename.success) return { type: 'rename', ...rename.data };
  const remove = name === 'delete_file' && writeCalls.delete_file.safeParse(input);
  return remove && remove.success ? { type: 'delete', ...remove.data } : undefined;
}
