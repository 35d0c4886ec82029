export * from './connection.ts';
export { engineSupport, type EngineSupport } from './engine-support.ts';
export * from './errors.ts';
export * from './limits.ts';
export * from './methods.ts';
export { builtinCapabilities, identifierPattern, problemOfGlobalName, type BuiltinCapability } from './names.ts';
export { oneLine, quote, withoutPaths } from './text.ts';
export * from './validation.ts';
export { decodeValue, encodeValue, type SandboxValue, type WireValue } from './values.ts';
