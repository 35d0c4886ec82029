export interface CheckRequest {
  /** In TypeScript. */
  declarations: string;
  script: string;
  /** Of tools. */
  namespaces: readonly string[];
}

/** From 1; columns in UTF-16 code units. */
export interface Place {
  line: number;
  column: number;
}

/** What is wrong with a call of a tool. */
export interface Finding extends Place {
  /** As the script calls it; it may not exist. */
  tool: string;
  message: string;
  /** Whether the script surely makes the call, and nothing catches its error. */
  isSure: boolean;
}

/** An argument that is known before the script runs. */
export interface Literal extends Place {
  tool: string;
  /** Where the call ends. */
  end: Place;
  value: unknown;
  isSure: boolean;
}

export type CheckAnswer = { findings: Finding[]; literals: Literal[] } | { failed: string };
