/** What windows-1252 has where Latin-1 has control characters. The five places that it leaves free stay as they are. */
const additions = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** A text that was read as Latin-1, as windows-1252. What is above Latin-1 stays. */
export function asWindows1252(text: string): string {
  return text.replaceAll(/[\u0080-\u009f]/g, (mark) => additions[mark.charCodeAt(0) - 0x80] as string);
}
