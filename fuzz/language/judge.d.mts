export type WantedOutcome = { value: string } | { threw: string } | { died: string };
/** `together`: it ran in one script with other programs. */
export type SandboxOutcome =
  | { value: string; warnings?: string[]; together?: true }
  | { code: string; message: string; name?: string; construct?: string; together?: true }
  | { untyped: string }
  | { died: string };
export interface Verdict {
  verdict: 'same' | 'refused' | 'documented' | 'wrong' | 'skipped';
  why?: string;
}

export function judge(wanted: WantedOutcome, got: SandboxOutcome): Verdict;

export function judgeByCause(
  source: string,
  wanted: WantedOutcome,
  got: SandboxOutcome,
  runBoth: (source: string) => Promise<[WantedOutcome, SandboxOutcome]>,
): Promise<Verdict>;
