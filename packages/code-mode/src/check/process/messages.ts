export interface CheckRequest {
  /** Declarations in TypeScript. */
  declarations: string;
  script: string;
  /** The namespaces of tools. */
  namespaces: readonly string[];
}

/** Lines and columns count from 1; columns count UTF-16 code units. */
export interface Place {
  line: number;
  column: number;
}

/** What is wrong with a call of a tool. */
export interface Finding extends Place {
  /** The name in the script. It may not exist. */
  tool: string;
  message: string;
  /** Whether the script surely makes the call, and nothing catches its error. */
  isSure: boolean;
}

/** An argument whose value is known before the script runs. */
export interface Literal extends Place {
  tool: string;
  /** Where the call ends. */
  end: Place;
  value: unknown;
  isSure: boolean;
}

export type CheckAnswer = { findings: Finding[]; literals: Literal[] } | { failed: string };
