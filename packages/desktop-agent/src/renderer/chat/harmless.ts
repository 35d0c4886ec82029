// Controls, and what turns the direction of writing. Not the joiners of emoji and the marks of Hebrew and Arabic texts.
const turning = /(?![\n\t\r])[\p{Cc}\u202A-\u202E\u2066-\u2069]/gu;

/** The text with escapes in the place of what would make it look like another one. */
export function visible(text: string): string {
  return text.replaceAll(turning, (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`);
}

/** The address of a link or an image, or nothing when it is neither harmless nor of use here. */
export function safeAddress(address: string, key: string): string {
  const bare = address.trim();
  if (key === 'src') return /^data:image\/(?:png|jpeg|gif|webp);base64,/i.test(bare) ? bare : '';
  return /^(?:https?:\/\/|mailto:)/i.test(bare) ? bare : '';
}
