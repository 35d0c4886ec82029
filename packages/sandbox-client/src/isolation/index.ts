// The parts with which another package builds its own jail: the launcher, the filter of system calls, and how a jail
// ends.
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
export { channelFd, type NoJail } from './jail.ts';
export { librariesOf } from './libraries.ts';
export { outputOf, startProcess } from './spawn.ts';
export { systemCallFilter } from './system-calls.ts';
