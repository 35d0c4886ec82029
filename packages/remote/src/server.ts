export { serveSandboxes, type SandboxServer } from './server/serve.ts';
export type { ServerOptions } from './server/options.ts';
