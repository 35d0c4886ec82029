/** What a compiler says about a place in a file. */
export interface Finding {
  /** Absolute. It is the configuration when the finding is about no file. */
  file: string;
  /** The offset in the file, in UTF-16 units. */
  at: number;
  code: number;
  message: string;
}

/** Checks one project and the projects that it refers to. */
export type Check = (config: string) => Finding[] | Promise<Finding[]>;

/** The category of errors has this number in every version of the compiler. */
export const errorCategory = 1;
