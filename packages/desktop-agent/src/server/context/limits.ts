/** What of an app goes into a prompt at most. In bytes. */
export interface ContextLimits {
  fileBytes: number;
  totalBytes: number;
}

/** In total about 160,000 tokens: what a model of 200,000 takes beside a conversation. */
export const defaultLimits: ContextLimits = { fileBytes: 256 * 1024, totalBytes: 640 * 1024 };

/** For one reading of an app. Patterns of a hostile `.gitignore` can take any time to match. */
export const readingMs = 30_000;
/** How many of the files that are left out are named. */
export const maxNamedOmissions = 100;
/** How many files the page is told of. */
export const maxListed = 10_000;
