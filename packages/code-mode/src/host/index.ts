// What hosts share that have a `servers.json` and keep runs in a folder, such as the gateway and the desktop agent.
export { keyIn, remember, rememberedIn, writeNew } from './kept.ts';
export { namespaceOf, parseServer, parseServers, type Servers } from './servers.ts';
