export type { AgentEvent, AgentEventListener } from './events.ts';
export { formatBytes, parseBytes } from './sizes.ts';
export {
  createExecuteSandboxScriptTool,
  type ExecuteSandboxScriptResult,
  type ExecuteSandboxScriptTool,
} from './tool.ts';
export type { AttachmentOption } from './attachments.ts';
export type { ExecuteSandboxScriptArgs, ExecuteSandboxScriptToolOptions } from './options.ts';
export type { JsonValue } from './output.ts';
