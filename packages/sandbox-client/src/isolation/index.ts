// What another package builds a jail of its own with: the launcher, the filter of system calls, and its end.
export { lookForBubblewrap, type Bubblewrap } from './bubblewrap-executable.ts';
export {
  bubblewrapCommand,
  endInside,
  endJail,
  exitInside,
  jailCommand,
  processesInside,
  type Hidden,
  type Inside,
} from './bubblewrap.ts';
export type { NoJail } from './jail.ts';
export { librariesOf } from './libraries.ts';
export { outputOf, startProcess } from './spawn.ts';
export { systemCallFilter } from './system-calls.ts';
