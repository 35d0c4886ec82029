/** The address of a link or an image, or nothing when it is neither harmless nor of use here. */
export function safeAddress(address: string, key: string): string {
  const bare = address.trim();
  if (key === 'src') return /^data:image\/(?:png|jpeg|gif|webp);base64,/i.test(bare) ? bare : '';
  return /^(?:https?:\/\/|mailto:)/i.test(bare) ? bare : '';
}
