export { connectSandbox, type RemoteSandbox } from './client/sandbox.ts';
export type { ConnectOptions, UploadProgress } from './client/options.ts';
