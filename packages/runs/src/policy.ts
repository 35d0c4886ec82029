/** Where large answers of tools are kept. */
export interface LargeAnswers {
  /**
   * Each run has a folder in it, which is removed when the run ends. If the sandbox has `roots`, this folder must lie
   * in one of them.
   */
  folder: string;
  /** An answer with more JSON than this becomes an attachment of the run. Default: 64 KB. */
  overBytes?: number;
  /** The most bytes of one answer. Default: 64 MB. */
  mostBytes?: number;
}

/** The first argument of a call. The schema of the tool describes it, but TypeScript does not know that schema. */
export type ToolInput = any; // oxlint-disable-line typescript/no-explicit-any -- each tool writes its own type

/** A call at its beginning. Its input fits the schema of the tool, and is what the tool will get. */
export interface BegunCall {
  run: string;
  tool: string;
  input: ToolInput;
  /** The cost that the tool declares, or 0. */
  cost: number;
}

/** What the run has done before. */
export interface DoneBefore {
  /** All its calls that have begun, with the bytes of their answers and their cost, which is 0 for a refused call. */
  calls: readonly { tool: string; answerBytes: number; cost: number }[];
  /** The rules that decisions on calls of this run have remembered. */
  rules: readonly unknown[];
}

/** What happens to a call at its beginning. */
export type Ruling =
  /** @param by the rule that decided, for the audit */
  | { action: 'allow'; by?: string }
  /** A person decides. `rule` is JSON: the rule that a decision with `remember` keeps, shown with the call. */
  | { action: 'ask'; by?: string; rule?: unknown }
  /** The script gets an error that it can catch. */
  | { action: 'deny'; by?: string; message: string; code: string };

/** Decides on each call at its beginning, and again on calls that wait for a person after one of them was decided. */
export type Policy = (call: BegunCall, before: DoneBefore) => Ruling | Promise<Ruling>;

/** A rule that an approval has kept for later runs. */
export interface Remembered {
  run: string;
  call: number;
  tool: string;
  /** The rule as it was shown. */
  rule: unknown;
  by?: string;
}
