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
export type { AttachmentInput } from './messages/attachment-input.ts';
export type { PrepareUserMessageOptions } from './messages/options.ts';
export type { UserMessage, UserPart } from './messages/parts.ts';
export { prepareUserMessage, type CancelledUserMessage, type PreparedUserMessage } from './messages/prepare.ts';
export type { AttachmentSink, StoredAttachment } from './messages/sink.ts';
export { createTerminalSizePrompt } from './messages/size-prompt.ts';
export {
  formatSizeSummary,
  type SizeAnswer,
  type SizePrompt,
  type SizeSource,
  type SizeSummary,
} from './messages/size-summary.ts';
