export type WantedOutcome = { value: string } | { threw: string } | { died: string };
export type SandboxOutcome =
  | { value: string; warnings?: string[] }
  | { code: string; message: string; name?: string; construct?: string }
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
