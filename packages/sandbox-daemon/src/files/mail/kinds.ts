/** The kinds of mail files: one mail, or many mails one after the other. */
export const mailKinds = ['eml', 'mbox'] as const;
export type MailKind = (typeof mailKinds)[number];

/** The kind of mail file that a name stands for, if any. */
export function mailKindOf(path: string): MailKind | undefined {
  const ending = /\.(eml|mbox)(?:\.(?:gz|zst|zstd))?$/i.exec(path)?.[1]?.toLowerCase();
  return mailKinds.find((kind) => kind === ending);
}
