import type { Proposal } from '../../shared/contract/index.ts';
import type { EditHunk } from './edits/edit-hunk.ts';

/** One change of a file, as an answer or a write tool wants it. Paths are relative to the app, with `/`. */
export type Change =
  /** `exact`: byte for byte, also the ends of lines. Models write `\n` whatever the file has. */
  | { type: 'write'; path: string; content: string; exact?: true }
  /** Of what is there by then. `isNew`: it says that there is nothing yet. */
  | { type: 'edit'; path: string; hunks: EditHunk[]; isNew?: boolean }
  | { type: 'rename'; from: string; to: string }
  | { type: 'delete'; path: string }
  /** What could not be understood. */
  | { type: 'refused'; path: string; why: string };

/** All that one answer wants to change. */
export interface Wanted {
  summary: string;
  changes: readonly Change[];
  /** `zod`, `@scope/name@1.2.3` */
  dependencies: readonly string[];
  commands: readonly string[];
}

/** What becomes of one path. */
export type Effect =
  | { path: string; kind: 'write'; content: string; from?: string }
  /** With the bytes and the mode that the other path had. */
  | { path: string; kind: 'move'; from: string }
  | { path: string; kind: 'delete' };

/** A proposal as it can be applied. Plain JSON, to be kept with the message until it is approved. */
export interface Plan {
  summary: string;
  effects: Effect[];
  dependencies: string[];
  commands: string[];
  /** How many files the commit's message names. */
  counts: { wrote: number; renamed: number; deleted: number };
  /**
   * What each touched path was when it was proposed: the SHA-256 of its content, in hex, or `null` where there was
   * nothing. What is something else when it is applied makes it fail with `changed`.
   */
  base: Record<string, string | null>;
  /** All that was proposed, while a part of it is being applied: it stands again where that fails. */
  whole?: { plan: Plan; proposal: Proposal };
}

/** `plan` is `null` when the proposal has failed; then `proposal.error` says why. */
export interface Proposed {
  proposal: Proposal;
  plan: Plan | null;
  /** For a person: what was left out or overwritten by a later change of the same answer. */
  notes: string[];
  /** Which of the changes, from 0, are edits that could not be made. */
  misplaced: number[];
}
