/** Why code mode refused something. */
export type CodeModeErrorCode =
  /** A tool or an option is wrong. */
  | 'invalid_request'
  /** An MCP server could not be started or reached, or did not list its tools. */
  | 'server_failed'
  /** The package `@modelcontextprotocol/client` is not installed. */
  | 'client_unavailable';

/** An error of code mode. Failures in a run are in its result. */
export class CodeModeError extends Error {
  override readonly name = 'CodeModeError';
  readonly code: CodeModeErrorCode;

  constructor(code: CodeModeErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
