import { readFile } from 'node:fs/promises';
import type { Chat, ChatAttachment, Message, Part } from '../../shared/contract/index.ts';
import { listOf, progressOf } from '../../shared/work-plan.ts';

/** The largest attachment that is included, in bytes. */
const maxAttachmentBytes = 1024 * 1024;

export interface ExportOptions {
  /** Whether the content of attached files is included, also if a script printed it. */
  attachments: boolean;
}

/** A chat as markdown that a person can read anywhere. */
export async function exportChat(
  chat: Chat,
  messages: readonly Message[],
  options: ExportOptions,
): Promise<{ fileName: string; markdown: string }> {
  const sections = messages.map((message) =>
    [sectionOf(message, options), planOf(message, messages)].filter(Boolean).join('\n\n'),
  );
  const files = options.attachments ? await contentsOf(messages) : [];
  const markdown = [`# ${oneLine(chat.title)}`, ...sections, ...files].join('\n\n');
  return { fileName: fileNameOf(chat), markdown: `${markdown}\n` };
}

function sectionOf(
  { role, createdAt, parts, attachments, state, error, proposal, commit }: Message,
  options: ExportOptions,
): string {
  const paragraphs = [
    `## ${role === 'user' ? 'You' : 'Agent'}, ${createdAt}`,
    ...attachments.map(({ name, bytes }) => `- Attached: ${code(name)} (${bytes} bytes)`),
    ...parts.map((part) => paragraphOf(part, options)),
    ...(state === 'complete' || state === 'streaming'
      ? []
      : [`_This answer is ${state}.${error === null ? '' : ` ${error}`}_`]),
    ...(proposal === null ? [] : [`_Proposed: ${oneLine(proposal.summary)} (${proposal.state})._`]),
    ...(commit === null ? [] : [`_Commit ${commit}._`]),
  ];
  return paragraphs.filter((text) => text !== '').join('\n\n');
}

function planOf(message: Message, messages: readonly Message[]): string {
  const { workPlan } = message;
  if (workPlan === null) return '';
  return `_A plan (${workPlan.state}):_\n\n${listOf(workPlan, progressOf({ ...message, workPlan }, messages))}`;
}

function paragraphOf(part: Part, options: ExportOptions): string {
  switch (part.type) {
    case 'text':
      return part.text.trim();
    case 'reasoning':
      return quote(part.text.trim());
    case 'summary':
      return part.text === ''
        ? ''
        : `_A summary, which the model gets in place of the ${part.messages} messages before it:_\n\n${quote(part.text.trim())}`;
    case 'script':
      return recordOf(part.record, 'js', options);
    case 'tools':
      return '_Ran a script that calls tools._';
    case 'bash':
      return recordOf(part.run, 'sh', options);
    case 'step':
      return `_Step ${part.step + 1} of the plan: ${oneLine(part.text)}_`;
    case 'tool':
      return `_${oneLine(part.title)} (${part.state})._`;
  }
}

/** The script and its outcome. The output may contain an attachment, so it is left out when attachments are. */
function recordOf(record: unknown, language: string, { attachments }: ExportOptions): string {
  const { script, command, result, error } = (record ?? {}) as Record<string, unknown>;
  const source = [script, command].find(isText);
  const text = [result, error].map((outcome) => (outcome as { text?: unknown } | undefined)?.text).find(isText);
  return [
    source === undefined ? '' : fence(source, language),
    text === undefined ? '' : attachments ? fence(text, 'text') : '_Its output is left out._',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

async function contentsOf(messages: readonly Message[]): Promise<string[]> {
  const files = new Map<string, ChatAttachment>();
  for (const { attachments } of messages) for (const file of attachments) files.set(file.name, file);
  return await Promise.all([...files.values()].map(contentOf));
}

async function contentOf({ name, bytes, mediaType, path }: ChatAttachment): Promise<string> {
  const title = `## ${code(name)}`;
  const isTextual = mediaType.startsWith('text/') || /json|xml|javascript|yaml/.test(mediaType);
  if (path === undefined || !isTextual) return `${title}\n\n_Left out: ${mediaType}._`;
  if (bytes > maxAttachmentBytes) return `${title}\n\n_Left out: ${bytes} bytes are more than ${maxAttachmentBytes}._`;
  return await readFile(path, 'utf8').then(
    (text) => `${title}\n\n${fence(text, 'text')}`,
    () => `${title}\n\n_The file no longer exists._`,
  );
}

/** The fence has more backticks than the text has in a row, so the text cannot end the block. */
function fence(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${text.replace(/\n$/, '')}\n${ticks}`;
}

function code(name: string): string {
  return `\`${oneLine(name).replaceAll('`', "'")}\``;
}

function quote(text: string): string {
  return text === '' ? '' : text.replaceAll(/^/gm, '> ');
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function fileNameOf({ title, createdAt }: Chat): string {
  const words = title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-+|-+$/g, '');
  return `${createdAt.slice(0, 10)}-${words.slice(0, 60) || 'chat'}.md`;
}
