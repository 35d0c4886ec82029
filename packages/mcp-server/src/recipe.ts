/** A script to start from. A client shows it as a prompt. */
export interface Recipe {
  /** In lower case, with hyphens between words. */
  name: string;
  /** One line. */
  description: string;
  /** What the script reads of `globalThis`. */
  inputs: {
    name: string;
    /** `string`, `number`, `boolean`, `any`, or a list of one of them, such as `string[]`. */
    type: string;
    required: boolean;
    default?: unknown;
    description: string;
  }[];
  script: string;
}
