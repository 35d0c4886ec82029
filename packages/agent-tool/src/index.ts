export type { BuiltinName } from '@mustard-sandbox/client';
export { explainFailure, type FailureContext } from './failures/explain.ts';
export type { AttachmentInput } from './messages/attachment-input.ts';
export type { AttachmentSink, PrepareUserMessageOptions, UserMessage, UserPart } from './messages/options.ts';
export { prepareUserMessage, type CancelledUserMessage, type PreparedUserMessage } from './messages/prepare.ts';
export { createTerminalSizePrompt } from './messages/size-prompt.ts';
export {
  formatSizeSummary,
  type SizeAnswer,
  type SizePrompt,
  type SizeSource,
  type SizeSummary,
} from './messages/size-summary.ts';
export type { AgentEvent, AgentEventListener, DenialReason } from './events.ts';
export { followSandbox, type SandboxEvent, type SandboxSource } from './sandbox-events.ts';
export type { AttachmentOption } from './tool/attachments.ts';
export type { ConsentAnswer, ConsentFileAccess, ConsentFunction, ConsentRequest } from './tool/consent.ts';
export type { HostFunctionOptions } from './tool/host-functions.ts';
export { inputJsonSchema, inputSchema, type ExecuteSandboxScriptArgs } from './tool/input.ts';
export type { ExecuteSandboxScriptToolOptions } from './tool/options.ts';
export type { JsonValue } from './tool/output.ts';
export type { ConsentFile } from './tool/preview.ts';
export { parseRecord, recordSchema, renderRecord, type ScriptRecord } from './tool/record.ts';
export type { CompletedResult, DeniedResult, ExecuteSandboxScriptResult, FailedResult } from './tool/result.ts';
export type { ExecuteContext } from './tool/runner.ts';
export {
  defaultSettings,
  parseSettings,
  settingsInfo,
  settingsSchema,
  type SettingInfo,
  type Settings,
  type SettingsInput,
} from './tool/settings.ts';
export type { TracerLike } from './tool/telemetry.ts';
export { createExecuteSandboxScriptTool, type ExecuteSandboxScriptTool } from './tool/tool.ts';
export { createAttachmentTurn, type AttachmentTurn } from './tool/turn.ts';
export { formatBytes, parseBytes } from './sizes.ts';
export type { Attachment, AttachmentSource, ScriptOutput, StoredAttachment } from './attachments/attachment.ts';
export type { CleanupOptions, Removed } from './attachments/cleanup.ts';
export type { StoreSource } from './attachments/copy.ts';
export { AttachmentError, type AttachmentErrorCode } from './attachments/errors.ts';
export type { GitignoreResult } from './attachments/gitignore.ts';
export type { AttachmentStoreOptions, StoreOptions } from './attachments/arguments.ts';
export { AttachmentStore } from './attachments/store.ts';
export {
  toolCallHandler,
  toolDefinition,
  type ToolCallAnswer,
  type ToolCallHandler,
  type ToolDefinition,
} from './adapters/plain.ts';
