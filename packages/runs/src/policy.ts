/** Where large answers of tools are kept. */
export interface LargeAnswers {
  /** Each run has a folder in it, which is removed when the run ends. Where the sandbox has `roots`, it lies in one of them. */
  folder: string;
  /** An answer with more JSON than this becomes an attachment of the run. Default: 64 KB. */
  overBytes?: number;
  /** The most bytes of one answer. Default: 64 MB. */
  mostBytes?: number;
}

/** The first argument of a call. The schema of the tool says what it is, and TypeScript does not know the schema. */
export type ToolInput = any; // oxlint-disable-line typescript/no-explicit-any -- each tool writes its own type

/** A call as it begins. Its input is right by the tool's schema, and is what the tool will get. */
export interface BegunCall {
  run: string;
  tool: string;
  input: ToolInput;
  /** As its tool declares it; 0 where it does not. */
  cost: number;
}

/** What the run has done before. */
export interface DoneBefore {
  /** All its calls that have begun, with the bytes of what the tool gave, and their cost: 0 for one that was refused. */
  calls: readonly { tool: string; answerBytes: number; cost: number }[];
  /** The rules that decisions on calls of this run have remembered. */
  rules: readonly unknown[];
}

/** What becomes of a call as it begins. */
export type Ruling =
  /** @param by the rule that says so, for the audit */
  | { action: 'allow'; by?: string }
  /** A person decides. `rule` is JSON: what a decision with `remember` keeps, shown with the call. */
  | { action: 'ask'; by?: string; rule?: unknown }
  /** The script gets an error that it can catch. */
  | { action: 'deny'; by?: string; message: string; code: string };

/** Decides on each call as it begins, and again on those that wait for a person once one has decided. */
export type Policy = (call: BegunCall, before: DoneBefore) => Ruling | Promise<Ruling>;

/** What an approval has kept for later runs. */
export interface Remembered {
  run: string;
  call: number;
  tool: string;
  /** As it was shown. */
  rule: unknown;
  by?: string;
}
