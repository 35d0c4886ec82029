import type { Format } from '../messages/format.ts';
import type { Translate } from '../messages/translate.ts';
import { oneLine } from '../text/printable.ts';
import { hasResult, isLive, statusOf, type Run } from './run.ts';
import { isUnderWay, states } from './states.ts';

/** The one line of a card. */
export interface Headline {
  title: string;
  /** `Read 42 KB`, `812 ms`. */
  stats: string[];
  /** For a screen reader: `Script — read server.log — success, 812 ms`. */
  label: string;
  /** The label without its first word, for an announcement. */
  what: string;
  outcome: string;
}

export function headlineOf(run: Run, t: Translate, format: Format): Headline {
  const status = statusOf(run);
  const { durationMs, bytesRead } = statsOf(run);
  const title = titleOf(run, t);
  const what = whatOf(run, title, t);
  const duration = durationMs === undefined || status === 'denied' ? [] : [format.duration(durationMs)];
  const read = bytesRead === undefined || bytesRead === 0 ? [] : [t('readBytes', { size: format.bytes(bytesRead) })];
  const stats = [...wordOf(run, title, t), ...read, ...duration];
  const outcome = [t(states[status].word), ...duration].join(', ');
  return { title, stats, what, outcome, label: t('cardLabel', { what, outcome }) };
}

/**
 * The icon and its colour show the state too, and a word goes with them. A closed card must not hide that an answer is
 * missing.
 */
function wordOf(run: Run, title: string, t: Translate): string[] {
  const status = statusOf(run);
  if (status !== 'success') return title === t('waitingForConsent') ? [] : [t(states[status].word)];
  if (isLive(run) || !hasResult(run)) return [];
  if (run.result.empty === true) return [t('statEmpty')];
  return run.result.truncated ? [t('statCut')] : [];
}

function statsOf(run: Run): { durationMs?: number | undefined; bytesRead?: number | undefined } {
  return isLive(run) ? run : run.stats;
}

function titleOf(run: Run, t: Translate): string {
  const description = oneLine(run.description ?? '');
  if (description !== '') return description;
  const status = statusOf(run);
  if (status === 'waiting') {
    const name = isLive(run) ? run.hostFunction : undefined;
    return name === undefined ? t('waitingForConsent') : t('waitingForHostFunction', { name: oneLine(name) });
  }
  if (isUnderWay(status)) return t('runningScript');
  if (status === 'denied') return t('notAllowed');
  const [first, ...others] = filesOf(run);
  if (first === undefined) return t('ranScript');
  const file = oneLine(first);
  return others.length === 0 ? t('ranScriptOn', { file }) : t('ranScriptOnMore', { file, count: others.length });
}

function whatOf(run: Run, title: string, t: Translate): string {
  const files = filesOf(run);
  if (oneLine(run.description ?? '') !== '' || files.length === 0) return title;
  return t('cardLabelReads', { files: files.map(oneLine).join(', ') });
}

function filesOf(run: Run): readonly string[] {
  return isLive(run) ? [] : (run.attachmentsRead ?? []);
}
