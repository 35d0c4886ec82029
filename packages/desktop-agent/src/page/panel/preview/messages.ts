// Messages from the preview into the chat. A person sees them there like any message of their own.
import type { Picked } from '../../../shared/preview-messages.ts';
import { texts } from '../../words/texts.ts';
import type { Issue } from './issues.ts';

/** A message about errors. Their texts are in blocks which the texts themselves cannot end. */
export function fixMessage(issues: readonly Issue[]): string {
  const blocks = issues.map(({ kind, text, path }) => {
    const place = texts.fixPlace[kind] + (path === undefined ? '' : texts.fixAt(code(path)));
    return `${place}:\n\n${block(text)}`;
  });
  return [texts.fixMessage, ...blocks].join('\n\n');
}

/** The beginning of a message about an element. @param appPath absolute */
export function pickedMessage({ selector, text, component, file, line }: Picked, appPath: string): string {
  const path = file?.startsWith(`${appPath}/`) === true ? file.slice(appPath.length + 1) : file;
  const where = [
    ...(component === undefined ? [] : [texts.pickedComponent(code(component))]),
    ...(path === undefined ? [] : [code(line === undefined ? path : `${path}:${line}`)]),
  ];
  return texts.pickedElement(code(selector), plain(text), where.join(', '));
}

function block(text: string): string {
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}text\n${text.replaceAll(/\r\n?/g, '\n')}\n${fence}`;
}

function code(text: string): string {
  return `\`${plain(text).replaceAll('`', "'")}\``;
}

/** The text on one line, because the app can put line breaks into it. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
