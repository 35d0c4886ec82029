import type { Proposal } from '../../shared/contract/index.ts';
import type { EditHunk } from './edits/edit-hunk.ts';

/** One change that an answer or a write tool wants. Paths are relative to the app, with `/`. */
export type Change =
  /** `exact` keeps the ends of lines as given. Otherwise they become those of the file, because models write `\n`. */
  | { type: 'write'; path: string; content: string; exact?: true }
  /** Edits the file as it is after the changes before. `isNew` says that the edit expects no file. */
  | { type: 'edit'; path: string; hunks: EditHunk[]; isNew?: boolean }
  | { type: 'rename'; from: string; to: string }
  | { type: 'delete'; path: string }
  /** A change that could not be understood. */
  | { type: 'refused'; path: string; why: string };

/** All that one answer wants to change. */
export interface Wanted {
  summary: string;
  changes: readonly Change[];
  /** `zod`, `@scope/name@1.2.3` */
  dependencies: readonly string[];
  commands: readonly string[];
}

/** The effect on one path. */
export type Effect =
  | { path: string; kind: 'write'; content: string; from?: string }
  /** The path gets the bytes and the mode of `from`. */
  | { path: string; kind: 'move'; from: string }
  | { path: string; kind: 'delete' };

/** A proposal in the form that can be applied. It is plain JSON, which is stored with the message until it is approved. */
export interface Plan {
  summary: string;
  effects: Effect[];
  dependencies: string[];
  commands: string[];
  /** The numbers of files in the commit's message. */
  counts: { wrote: number; renamed: number; deleted: number };
  /**
   * What each touched path was when it was proposed: the SHA-256 of its content, in hex, or `null` when there was nothing.
   * If a path has changed when the plan is applied, and cannot be merged, applying fails with `changed`.
   */
  base: Record<string, string | null>;
  /** The whole proposal, while a part of it is being applied. It is restored when applying fails. */
  whole?: { plan: Plan; proposal: Proposal };
}

/** `plan` is `null` when the proposal has failed; then `proposal.error` says why. */
export interface Proposed {
  proposal: Proposal;
  plan: Plan | null;
  /** Notes for a person on what was left out or overwritten by a later change of the same answer. */
  notes: string[];
  /** The indices of changes, from 0, that are edits which could not be made. */
  misplaced: number[];
}
