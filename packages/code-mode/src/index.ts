export { createCodeModeTool, type CodeModeArgs, type CodeModeTool, type ToolFacts } from './tool.ts';
export type { CodeModeResult } from './result.ts';
export { argumentsOf, codeAt, coverageOf } from './shown.ts';
export type {
  Budget,
  CodeModeOptions,
  HttpServer,
  RememberedRule,
  Rule,
  ServerOptions,
  StdioServer,
} from './options.ts';
export type { AiSchema, AiTool } from './ai-tools.ts';
export { CodeModeError, type CodeModeErrorCode } from './errors.ts';
