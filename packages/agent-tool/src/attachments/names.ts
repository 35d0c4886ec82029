import { createHash } from 'node:crypto';
import { attachmentPrefix } from './attachment.ts';

/** In bytes of UTF-8; what file systems allow, so names of real files stay whole. */
const maxNameBytes = 255;

// Where a dot begins an extension. `.tar.gz` counts as one: archive-2.tar.gz.
const extension = /(?<=[^.])(?:\.tar)?\.[^. ]{1,16}$/iu;

// First what would end or open something else in a script, a prompt or a path (Windows has the longest list), then
// what would end a line of text or is no character.
const awkward = /["'`\\/<>|*?:$]|[\p{Cc}\p{Cs}\p{Co}\p{Zl}\p{Zp}\ufffd]/gu;

const scriptOutput = /^script-output-[0-9a-f]{16,64}\.txt$/i;

/** The same on disk, with the chat that it belongs to. */
const outputFile = /^(script-output-[0-9a-f]{16,64})(?:\.([0-9a-f]{16}))?\.txt$/i;

/** Whether the tool may have written a file with this name into the media folder. */
export function isScriptOutputName(name: string): boolean {
  return scriptOutput.test(name);
}

/** What the output of a script in this chat is called on disk. */
export function outputFileOf(name: string, chat: string | undefined): string {
  return chat === undefined ? name : `${name.slice(0, -'.txt'.length)}.${chatKey(chat)}.txt`;
}

/** The output of which a file on disk holds the text, and the key of its chat; `undefined` for what is none. */
export function outputOfFile(file: string): { name: string; chatKey: string | undefined } | undefined {
  const [, stem, chatKey] = outputFile.exec(file) ?? [];
  return stem === undefined ? undefined : { name: `${stem}.txt`, chatKey };
}

/** A chat in the name of a file, whatever it is called. */
export function chatKey(chat: string): string {
  return createHash('sha256').update(chat).digest('hex').slice(0, 16);
}

/**
 * The logical name that a file would like to have: the last part of its original name, of characters that a
 * script, a prompt and the sidecar can carry, at most `maxNameBytes` long. Its own result stays as it is.
 */
export function baseName(originalName: string): string {
  const last = originalName.replace(/^.*[/\\]/s, '');
  const shown = last
    .normalize('NFC')
    // Invisible ones could make two names that look the same, or a text that reads backwards.
    .replace(/\p{Cf}/gu, '')
    // macOS writes a narrow no-break space into the names of screenshots; no model would repeat it.
    .replace(/\p{Zs}+/gu, ' ')
    .replace(awkward, '_')
    .normalize('NFC');
  const name = trim(shown);
  if (name === '') return 'attachment';
  return cut(isScriptOutputName(name) ? `file-${name}` : name, '');
}

/** Names with the same key would be the same file on some file system: they differ in case only. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toUpperCase().toLowerCase();
}

/** What no two attachments have in common: a name in a chat. */
export function keyOf({ name, chat }: { name: string; chat?: string | undefined }): string {
  return `${chat ?? ''}\0${nameKey(name)}`;
}

/** `server.log`, or when a name with its key is taken `server-2.log`, `server-3.log`, … */
export function uniqueName(base: string, taken: ReadonlySet<string>): string {
  if (!taken.has(nameKey(base))) return base;
  for (let number = 2; ; number++) {
    const name = cut(base, `-${number}`);
    if (!taken.has(nameKey(name))) return name;
  }
}

/**
 * Whether a name can be used as it is. Looser than what `baseName` makes, whose classes of characters grow with
 * Unicode: a manifest must not become invalid with the next version of Node.
 */
export function isUsableName(name: string): boolean {
  if (name === '' || Buffer.byteLength(name) > maxNameBytes || isScriptOutputName(name)) return false;
  return !/[/\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(name) && name.normalize('NFC') === name;
}

/** The extension for the file on disk, in lower case and ASCII; `undefined` when there is none that would do. */
export function fileExtension(name: string): string | undefined {
  return /[^.]\.([a-z0-9]{1,16})$/i.exec(name)?.[1]?.toLowerCase();
}

/** The name after `attachments:`; `undefined` when it is no such reference. */
export function nameOfReference(reference: string): string | undefined {
  if (!reference.startsWith(attachmentPrefix)) return undefined;
  return reference.slice(attachmentPrefix.length).normalize('NFC');
}

/** The name with `suffix` before its extension, the part before it cut so that all fits. */
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

/** Dots and spaces at the end are lost on Windows, spaces at both ends on people. */
function trim(name: string): string {
  return name.replace(/^ +/, '').replace(/[. ]+$/, '');
}
