/** A script to start from. A client shows it as a prompt. */
export interface Recipe {
  /** The name, in lower case, with hyphens between words. */
  name: string;
  /** The description, on one line. */
  description: string;
  /** The inputs that the script reads from `globalThis`. */
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
