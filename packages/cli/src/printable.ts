/**
 * Untrusted text for a terminal: what could move the cursor, change colours, run a terminal's commands or
 * reorder what is shown is written as an escape. Newlines and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(
    /[^\P{Cc}\n\t]|[\p{Cs}\p{Zl}\p{Zp}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu,
    (character) => (character === '\r' ? '\\r' : `\\u{${character.codePointAt(0)!.toString(16)}}`),
  );
}

/** JSON that is safe to show: the same value, with what `JSON.stringify` leaves as it is escaped too. */
export function printableJson(json: string): string {
  return json.replace(
    /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
