/** How much of an app goes into a prompt at most, in bytes. */
export interface ContextLimits {
  fileBytes: number;
  totalBytes: number;
}

/** The total is about 160,000 tokens, which leaves a model of 200,000 tokens room for a conversation. */
export const defaultLimits: ContextLimits = { fileBytes: 256 * 1024, totalBytes: 640 * 1024 };

/** How long one reading of an app may take, in ms. Patterns of a hostile `.gitignore` could take any time. */
export const readingMs = 30_000;
/** How many of the left out files are named. */
export const maxNamedOmissions = 100;
/** How many files the page gets. */
export const maxListed = 10_000;
