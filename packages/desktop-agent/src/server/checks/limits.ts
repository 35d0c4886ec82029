/** How long one check may take, in ms. */
export const checkMs = 60_000;
export const maxProblems = 1000;
/** The most bytes that the checker may write. A thousand problems of the greatest length take less. */
export const maxOutputBytes = 8 * 1024 * 1024;
/** The compiler's heap, in MB. Large apps need this much. */
export const heapMb = 2048;
/** From V8 13 on each thread of Node reserves 512 MiB for generated code. This counts as data although it is unused. */
const codeRangeMb = Number.parseInt(process.versions.v8, 10) >= 13 ? 2048 : 0;
/** The limit on all data of the compiler, in KB. */
export const dataKb = (heapMb + 1024 + codeRangeMb) * 1024;
/** The most processes and threads. TypeScript 7 is a second process with threads. */
export const maxProcesses = 64;
