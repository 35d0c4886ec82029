export { actionFor, approvalSchema, type ApprovalAction, type ApprovalOptions } from './approval/rules.ts';
export type { ProjectParts } from './backends/local/project.ts';
export { BashError, type BashErrorCode } from './errors.ts';
export {
  assertGates,
  assertRequest,
  gatesOf,
  gateVariable,
  type Gate,
  type GateRequest,
  type GateSettings,
} from './gates.ts';
export { limitsSchema, type BashLimitOptions, type BashLimits } from './limits.ts';
export { parseDomain, registryDomains } from './network/domains.ts';
export type { Outside } from './network/outside.ts';
export type { Reached, ReachedHost } from './network/reached.ts';
export { bashPrompt, requestedCommand, type PromptFacts } from './prompt.ts';
export type { BashInput, ReadFileInput, WriteFileInput } from './tools/input.ts';
export { createBashTools, type BashTools, type BashToolsOptions, type CallContext } from './tools/tools.ts';
export type { BashProgress, BashResult, RunCommandOptions } from './workspaces/command.ts';
export type { BackendName, WorkspacesOptions } from './workspaces/options.ts';
export type { Seeded, SeedOptions } from './workspaces/seed.ts';
export { backendStatus, type BackendStatus } from './workspaces/status.ts';
export { mayBeCopied } from './workspaces/upload.ts';
export type { BashToolSandbox, Workspace } from './workspaces/workspace.ts';
export { createWorkspaces, type OpenOptions, type Workspaces } from './workspaces/workspaces.ts';
