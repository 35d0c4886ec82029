import type { Failure } from './failure.ts';

const byCode: Partial<Record<Failure['code'], string>> = {
  capability_denied: 'a script reads in the folder of --root DIR, and a file of --attach FILE as attachments:<name>',
  timeout: 'give it more time with --timeout, at most 60s',
  sidecar_crashed: 'the script ended the process that ran it, and nothing else; change the script',
  sidecar_unavailable: '`mustard-sandbox doctor` looks at the installation',
  engine_unavailable: '`mustard-sandbox doctor` shows what was looked for',
};

const byLimit: Record<string, string> = {
  attachment_bytes: 'allow more with --size-threshold, or choose another --size-policy',
  heap_bytes: 'give it more memory with --heap, at most 256mb',
  instructions: 'a longer --timeout raises the instruction limit with it',
  script_bytes: 'to read a big file, attach it with --attach FILE and read `attachments:<name>` from a small script',
};

/** What to do about a failure, with flags of the command. The failure's message names options of the library. */
export function hintFor({ code, details, hint }: Failure): string | undefined {
  return hint ?? byLimit[String(details['limit'])] ?? byCode[code];
}
