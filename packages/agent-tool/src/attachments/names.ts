import { createHash } from 'node:crypto';
import { attachmentPrefix } from './attachment.ts';

/** In bytes of UTF-8. File systems have the same limit, so names of real files are never cut. */
const maxNameBytes = 255;

// Where a dot begins an extension. `.tar.gz` counts as one, as in archive-2.tar.gz.
const extension = /(?<=[^.])(?:\.tar)?\.[^. ]{1,16}$/iu;

// First come characters with a meaning in a script, a prompt or a path (Windows forbids most of them), then characters
// that end a line of text or cannot be shown.
const awkward = /["'`\\/<>|*?:$]|[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\ufffd]/gu;

const scriptOutput = /^script-output-[0-9a-f]{16,64}\.txt$/i;

/** The file name of a script's output on disk. It may hold the hash of a chat. */
const outputFile = /^(script-output-[0-9a-f]{16,64})(?:\.([0-9a-f]{16}))?\.txt$/i;

/** Whether the tool may have written a file with this name into the media folder. */
export function isScriptOutputName(name: string): boolean {
  return scriptOutput.test(name);
}

/** The file name on disk for the output of a script in this chat. */
export function outputFileOf(name: string, chat: string | undefined): string {
  return chat === undefined ? name : `${name.slice(0, -'.txt'.length)}.${chatKey(chat)}.txt`;
}

/** The name of the script output in a file on disk, and the key of its chat; `undefined` for any other file. */
export function outputOfFile(file: string): { name: string; chatKey: string | undefined } | undefined {
  const [, stem, chatKey] = outputFile.exec(file) ?? [];
  return stem === undefined ? undefined : { name: `${stem}.txt`, chatKey };
}

/** A chat as part of a file name. It is safe for any text that identifies the chat. */
export function chatKey(chat: string): string {
  return createHash('sha256').update(chat).digest('hex').slice(0, 16);
}

/**
 * The logical name for a file: the last part of its original name, without characters that a script, a prompt or the
 * sidecar cannot carry, and at most `maxNameBytes` long. Applying it twice gives the same result.
 */
export function baseName(originalName: string): string {
  const last = originalName.replace(/^.*[/\\]/s, '');
  const shown = last
    .normalize('NFC')
    // Invisible characters could make two names look the same, or reverse the text.
    .replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]/gu, '')
    // macOS puts a narrow no-break space into names of screenshots, which a model would not reproduce.
    .replace(/\p{Zs}+/gu, ' ')
    .replace(awkward, '_')
    .normalize('NFC');
  const name = trim(shown);
  if (name === '') return 'attachment';
  return cut(isScriptOutputName(name) ? `file-${name}` : name, '');
}

/** Names that differ only in case have the same key, because on some file systems they are one file. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase();
}

/** A key that is unique for each attachment, from its name and its chat. */
export function keyOf({ name, chat }: { name: string; chat?: string | undefined }): string {
  return `${chat ?? ''}\0${nameKey(name)}`;
}

/** `server.log`, or `server-2.log`, `server-3.log` and so on when the key of the name is taken. */
export function uniqueName(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(nameKey(base))) return base;
  for (let number = 2; ; number++) {
    const name = cut(base, `-${number}`);
    if (!taken.has(nameKey(name))) return name;
  }
}

/**
 * Whether a name is valid. It allows more than `baseName` makes, because the character classes of `baseName` grow with
 * Unicode, and a manifest must stay valid in the next version of Node.
 */
export function isUsableName(name: string): boolean {
  if (name === '' || Buffer.byteLength(name) > maxNameBytes || isScriptOutputName(name)) return false;
  return !/[/\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name) && name.normalize('NFC') === name;
}

/** The extension for the file on disk, in lower case and ASCII; `undefined` when there is no usable one. */
export function fileExtension(name: string): string | undefined {
  return /[^.]\.([a-z0-9]{1,16})$/i.exec(name)?.[1]?.toLowerCase();
}

/** The name after `attachments:`; `undefined` for any other text. */
export function nameOfReference(reference: string): string | undefined {
  if (!reference.startsWith(attachmentPrefix)) return undefined;
  return reference.slice(attachmentPrefix.length).normalize('NFC');
}

/** The name with `suffix` before its extension. The part before is cut so that the name stays short enough. */
function cut(name: string, suffix: string): string {
  const end = extension.exec(name)?.[0] ?? '';
  let stem = name.slice(0, name.length - end.length);
  const space = maxNameBytes - Buffer.byteLength(suffix + end);
  if (Buffer.byteLength(stem) > space) {
    let bytes = 0;
    let length = 0;
    for (const character of stem) {
      bytes += Buffer.byteLength(character);
      if (bytes > space) break;
      length += character.length;
    }
    stem = trim(stem.slice(0, length)) || 'attachment';
  }
  return `${stem}${suffix}${end}`;
}

/** Windows drops dots and spaces at the end of a name, and people do not see spaces at either end. */
function trim(name: string): string {
  return name.replace(/^ +/, '').replace(/[. ]+$/, '');
}
