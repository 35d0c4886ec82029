/** What a compiler says of a place in a file. */
export interface Finding {
  /** Absolute; the configuration when it is about no file. */
  file: string;
  /** In UTF-16 units from the beginning of the file. */
  at: number;
  code: number;
  message: string;
}

/** Looks at one project and at those that it refers to. */
export type Check = (config: string) => Finding[] | Promise<Finding[]>;

/** Compilers call it so, in every version. */
export const errorCategory = 1;
