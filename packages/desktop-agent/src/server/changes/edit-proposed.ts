// Lets a person edit a proposed file before it is applied.
import { AgentError, type FileDiff, type Proposal } from '../../shared/contract/index.ts';
import { realApp } from '../git/repository.ts';
import { AppFiles, hashOf } from './app-files.ts';
import { DiffTime, isBinary, reviewedDiffOf } from './diff.ts';
import { checkContent } from './draft.ts';
import type { Effect, Plan } from './plan.ts';
import { countsOf } from './proposal.ts';

const maxEditorBytes = 1024 * 1024;
const unchecked = 'You changed the proposal, so its types were not checked again.';

/**
 * The text that a file would have.
 *
 * @throws {AgentError} `not_found` for a file that is not proposed or is to be deleted; `limit_exceeded` over 1 MB, or not text
 */
export async function readProposed(appPath: string, plan: Plan, path: string): Promise<string> {
  const effect = effectAt(plan, path);
  const text = effect.kind === 'write' ? effect.content : await textNow(appPath, plan, effect.from);
  if (Buffer.byteLength(text) <= maxEditorBytes) return text;
  throw new AgentError('limit_exceeded', `${path} would be over 1 MB, so it cannot be edited here.`);
}

/**
 * Replaces the content of a proposed file. The diff is made again, against the file as it was when the change was proposed.
 *
 * @throws {AgentError} as `readProposed`; `changed` when the file has changed since; `invalid_request` for a content that
 *   changes nothing
 */
export async function editProposed(
  appPath: string,
  { plan, proposal }: { plan: Plan; proposal: Proposal },
  { path, content }: { path: string; content: string },
): Promise<{ plan: Plan; proposal: Proposal }> {
  checkContent(path, content);
  const { from } = effectAt(plan, path);
  const files = new AppFiles(await realApp(appPath));
  const before = files.read(from ?? path)?.bytes ?? null;
  checkBase(plan, from ?? path, before);
  if (from === undefined && before?.equals(Buffer.from(content)) === true) {
    throw new AgentError('invalid_request', `${path} would be as it is. Leave it out of the proposal instead.`);
  }
  const effect: Effect = { path, kind: 'write', content, ...(from !== undefined && { from }) };
  const effects = plan.effects.map((one) => (one.path === path ? effect : one));
  const isMoved = from !== undefined && effects.some((one) => one.kind === 'delete' && one.path === from);
  const sides = { path, ...(isMoved && { from }), before, after: Buffer.from(content) };
  const diff: FileDiff = { ...reviewedDiffOf(sides, new DiffTime()), edited: true };
  const shown = proposal.files.map((file) => (file.path === path ? diff : file));
  return {
    plan: { ...plan, effects, counts: countsOf(effects) },
    proposal: { ...proposal, files: shown, problems: null, unchecked, revision: (proposal.revision ?? 0) + 1 },
  };
}

function effectAt({ effects }: Plan, path: string): Exclude<Effect, { kind: 'delete' }> {
  const effect = effects.find((one) => one.path === path);
  if (effect !== undefined && effect.kind !== 'delete') return effect;
  throw new AgentError('not_found', `This proposal has no file ${JSON.stringify(path)} to edit.`);
}

async function textNow(appPath: string, plan: Plan, path: string): Promise<string> {
  const file = new AppFiles(await realApp(appPath)).read(path);
  checkBase(plan, path, file?.bytes ?? null);
  if (file === null || isBinary(file.bytes)) {
    throw new AgentError('limit_exceeded', `${path} is not a text file, so it cannot be edited here.`);
  }
  return file.bytes.toString('utf8');
}

function checkBase({ base }: Plan, path: string, bytes: Buffer | null): void {
  if ((bytes === null ? null : hashOf(bytes)) === (base[path] ?? null)) return;
  const what = `${path} was changed since this was proposed, so the proposal cannot be edited.`;
  throw new AgentError('changed', `${what} Approve it as it is, or ask for the change again.`);
}
