/** Why the server could not do what the page asked. */
export const agentErrorCodes = [
  'invalid_request',
  'unknown_channel',
  'not_found',
  /** The file, the chat or the app has changed since the page saw it. */
  'changed',
  /** Another answer, writer or program is using it. */
  'busy',
  'denied',
  'unsafe_path',
  'no_git',
  'model',
  'limit_exceeded',
  'disk_full',
  /** There is too much at once, or the page is too slow to read it. */
  'overloaded',
  'cancelled',
  'disconnected',
  'already_running',
  'database_newer',
  'database_corrupt',
  'internal',
] as const;
export type AgentErrorCode = (typeof agentErrorCodes)[number];

/** Says what was wrong and what to do, in words for a person. It is the same on both sides of the transport. */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly code: AgentErrorCode;

  constructor(code: AgentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
