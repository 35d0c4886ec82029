/** The deadline of one check. */
export const checkMs = 60_000;
export const maxProblems = 1000;
/** What the checker may say: a thousand problems at their longest take less. */
export const maxOutputBytes = 8 * 1024 * 1024;
/** The compiler's heap. Large apps take as much. */
export const heapMb = 2048;
/** From V8 13 on each thread of Node reserves 512 MiB for generated code, which counts as data although it is not used. */
const codeRangeMb = Number.parseInt(process.versions.v8, 10) >= 13 ? 2048 : 0;
/** The limit on all data of the compiler. */
export const dataKb = (heapMb + 1024 + codeRangeMb) * 1024;
/** TypeScript 7 is a second process with threads. */
export const maxProcesses = 64;
