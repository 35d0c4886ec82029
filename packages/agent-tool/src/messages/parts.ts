/** The parts that a user message can have, as the AI SDK 6 (`UserContent`) takes them. */
export type UserPart =
  | { type: 'text'; text: string }
  | { type: 'image'; image: Uint8Array; mediaType: string }
  | { type: 'file'; data: Uint8Array; mediaType: string; filename: string };

/** Assignable to the AI SDK's `UserModelMessage`. */
export interface UserMessage {
  role: 'user';
  content: UserPart[];
}
