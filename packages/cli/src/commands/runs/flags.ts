/** The actions of `runs`. */
export const actions = ['list', 'show', 'approve', 'deny', 'answer', 'cancel', 'resume'] as const;
export type Action = (typeof actions)[number];

/** The flags as they were typed. */
export interface RunsFlags {
  all?: boolean;
  forRun?: boolean;
  always?: boolean;
  why?: string;
  value?: string;
  outcome?: 'not-done' | 'try-again';
  restart?: boolean;
  by?: string;
  quiet?: boolean;
}
