/** Why the server could not do what the page asked. */
export const agentErrorCodes = [
  'invalid_request',
  'unknown_channel',
  'not_found',
  /** The file, the chat or the app is not any more what the page saw. */
  'changed',
  /** Another answer, writer or program is at it. */
  'busy',
  'denied',
  'unsafe_path',
  'no_git',
  'model',
  'limit_exceeded',
  'disk_full',
  /** Too much at once, or too slow to take it. */
  'overloaded',
  'cancelled',
  'disconnected',
  'already_running',
  'database_newer',
  'database_corrupt',
  'internal',
] as const;
export type AgentErrorCode = (typeof agentErrorCodes)[number];

/** What was wrong and what to do, in words for a person. The same on both sides of the transport. */
export class AgentError extends Error {
  override readonly name = 'AgentError';
  readonly code: AgentErrorCode;

  constructor(code: AgentErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
