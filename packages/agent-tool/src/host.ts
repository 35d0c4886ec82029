// What another package needs to build a host, such as the MCP server or an agent. Everything else of the tool stays
// inside.
export { listedFiles, availableFrom, type Available } from './tool/attachments.ts';
export { ConsentGate, describeDenial, type Decision } from './tool/consent.ts';
export { Life } from './tool/life.ts';
export { ownerOf, ownerPattern, ownerTag, stateOf } from './attachments/owner.ts';
export { failedCall, type FailedCallContext } from './tool/call.ts';
export { describeTool, functionDeclarations, type ToolFacts } from './tool/description.ts';
export { inSpans, type InSpan } from './tool/telemetry.ts';
export { parseLimits } from './tool/options.ts';
export { parse as parseOptions } from './options.ts';
export { discard, moveOver, writeAtomically } from './attachments/folder.ts';
export { withLock, type LockOptions } from './attachments/lock.ts';
export { openAttachment } from './attachments/open.ts';
export { listOutputs, removeOldOutputs } from './attachments/script-outputs.ts';
export { guessMediaType, isText, probedBytes } from './attachments/media-type.ts';
