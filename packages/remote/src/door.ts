// What another package, such as the MCP server, needs to build a server that strangers can reach. Everything else of
// this server stays inside.
export { Admission } from './server/admission.ts';
export { createDoor } from './server/door.ts';
export { Rate } from './server/gate.ts';
export { listenAt, parseAddress, type ListenAddress } from './server/listen.ts';
export { createLog, type Log } from './server/log.ts';
export { Memory } from './server/memory.ts';
export { Metrics } from './server/metrics.ts';
export { Strangers } from './server/strangers.ts';
export { refused, statusOf } from './store/problems.ts';
export { isLoopback } from './wire/address.ts';
