export * from './connection.ts';
export * from './errors.ts';
export * from './limits.ts';
export * from './methods.ts';
export * from './roots.ts';
export * from './validation.ts';
export { decodeValue, encodeValue, type SandboxValue, type WireValue } from './values.ts';
