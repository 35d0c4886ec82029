/** The files of mail: one mail, or many one after the other. */
export const mailKinds = ['eml', 'mbox'] as const;
export type MailKind = (typeof mailKinds)[number];

/** By the name of a file. */
export function mailKindOf(path: string): MailKind | undefined {
  const ending = /\.(eml|mbox)(?:\.(?:gz|zst|zstd))?$/i.exec(path)?.[1]?.toLowerCase();
  return mailKinds.find((kind) => kind === ending);
}
