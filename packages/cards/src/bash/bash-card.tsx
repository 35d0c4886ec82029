import * as Collapsible from '@radix-ui/react-collapsible';
import { useId, useState, type ReactElement } from 'react';
import { useLanguage } from '../messages/provider.tsx';
import type { Translate } from '../messages/translate.ts';
import { CardLine } from '../parts/card-line.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icons.tsx';
import { TextView } from '../output/text-view.tsx';
import { states } from '../run/states.ts';
import { oneLine } from '../text/printable.ts';

/** The output of a command to one stream. */
export interface CommandStream {
  text: string;
  /** Bytes that were left out of the middle; `text` then has both ends, and `leftOutAt` says where, in UTF-16 units. */
  leftOutBytes?: number;
  leftOutAt?: number;
}

/** One command of a shell, and how it ended. */
export interface CommandRun {
  command: string;
  /** Absent while it runs, and when a signal or a person ended it. */
  exitCode?: number;
  signal?: string;
  /** A person ended it, which is not a failure of the command. */
  stopped?: true;
  stdout: CommandStream;
  stderr: CommandStream;
  /** In ms. */
  durationMs?: number;
  /** What it reached by the network. Absent when it reached nothing. */
  reached?: CommandNetwork;
}

/** What a command reached by the network, and what it was refused. */
export interface CommandNetwork {
  /** Bytes as they were passed on. `times` are connections and requests; `why` is a clause about the last refusal. */
  hosts: {
    host: string;
    port: number;
    times: number;
    refused: number;
    sentBytes: number;
    receivedBytes: number;
    why?: string;
  }[];
  /** How many requests named hosts that are not listed. */
  more: number;
}

/** Properties of `BashCard`. */
export interface BashCardProps {
  run: CommandRun;
  /** Default: open after a failure. */
  defaultOpen?: boolean;
}

const manyLines = 20;

/** A command as a line that says how it ended, and opens to show its output. */
export function BashCard({ run, defaultOpen }: BashCardProps): ReactElement {
  const { t, format } = useLanguage();
  const { command, exitCode, signal, stopped = false, stdout, stderr, durationMs } = run;
  const isRunning = exitCode === undefined && signal === undefined && !stopped;
  const hasFailed = !isRunning && !stopped && exitCode !== 0;
  const [chosen, setChosen] = useState(defaultOpen);
  const hasPrinted = stdout.text !== '' || stderr.text !== '';
  // Who watched it run still sees it at its end: a card that closes by itself would move what is below it.
  const [wasWatched, setWatched] = useState(false);
  if (isRunning && hasPrinted && !wasWatched) setWatched(true);
  const ending = endingOf(run, isRunning, t);
  const what = oneLine(command);
  const stats = [ending, ...(durationMs === undefined ? [] : [format.duration(durationMs)])];
  const status = isRunning ? 'running' : hasFailed ? 'error' : stopped ? 'stopped' : 'success';
  return (
    <Collapsible.Root
      className="ms ms-card"
      data-status={status}
      data-tone={states[status].tone}
      open={chosen ?? (hasFailed || wasWatched)}
      onOpenChange={(open) => setChosen(open)}
    >
      <div className="ms-card-head">
        <CardLine
          icon={isRunning ? 'running' : stopped ? 'stop' : 'terminal'}
          kind={t('command')}
          title={
            <span className="ms-card-title ms-command" dir="ltr">
              {what}
            </span>
          }
          stats={stats.join(' · ')}
          label={t('commandLabel', { what, outcome: stats.join(', ') })}
        />
        <CopyButton text={command} label={t('copyCommand')} />
      </div>
      <Collapsible.Content className="ms-card-body ms-streams">
        <Stream name={t('stdout')} stream={stdout} />
        <Stream name={t('stderr')} stream={stderr} />
        {run.reached !== undefined && <Network reached={run.reached} />}
      </Collapsible.Content>
      <span role="status" aria-live="polite" className="ms-visually-hidden">
        {isRunning ? '' : ending}
      </span>
    </Collapsible.Root>
  );
}

function endingOf({ exitCode, signal, stopped }: CommandRun, isRunning: boolean, t: Translate): string {
  if (isRunning) return t('commandRunning');
  if (stopped === true) return t('commandStopped');
  return signal === undefined ? t('exitCode', { code: String(exitCode) }) : t('endedBySignal', { signal });
}

function Network({ reached: { hosts, more } }: { reached: CommandNetwork }): ReactElement {
  const { t, format } = useLanguage();
  return (
    <div className="ms-stream">
      <p className="ms-note">{t('network')}</p>
      <ul className="ms-network">
        {hosts.map(({ host, port, times, refused, sentBytes, receivedBytes, why }) => (
          <li key={`${host} ${port}`}>
            <span className="ms-command" dir="ltr">
              {host}:{port}
            </span>{' '}
            <span className="ms-note">
              {times > refused &&
                t('networkReached', {
                  count: times - refused,
                  received: format.bytes(receivedBytes),
                  sent: format.bytes(sentBytes),
                })}
              {times > refused && refused > 0 && ' · '}
              {refused > 0 && t('networkRefused', { count: refused, why: why ?? '' })}
            </span>
          </li>
        ))}
      </ul>
      {more > 0 && <p className="ms-note">{t('networkMore', { count: more })}</p>}
    </div>
  );
}

function Stream({ name, stream }: { name: string; stream: CommandStream }): ReactElement {
  const { t, format } = useLanguage();
  const id = useId();
  const { text, leftOutBytes, leftOutAt = text.length } = stream;
  const lines = text === '' ? 0 : text.replace(/\n$/, '').split('\n').length;
  const [isOpen, setOpen] = useState(lines > 0 && lines <= manyLines);
  if (lines === 0) return <p className="ms-note">{t('streamEmpty', { name })}</p>;
  const parts = leftOutBytes === undefined ? [text] : [text.slice(0, leftOutAt), text.slice(leftOutAt)];
  return (
    <div className="ms-stream">
      <div className="ms-stream-head">
        <button
          type="button"
          className="ms-stream-toggle"
          aria-expanded={isOpen}
          aria-controls={id}
          onClick={() => setOpen(!isOpen)}
        >
          <Icon name="chevron" />
          {t('streamLines', { name, count: lines })}
        </button>
        <CopyButton text={text} label={t('copyStream', { name })} />
      </div>
      <div id={id} hidden={!isOpen}>
        {isOpen &&
          parts.map((part, index) => (
            <div key={index}>
              {index > 0 && <p className="ms-cut">{t('streamCut', { size: format.bytes(leftOutBytes ?? 0) })}</p>}
              {part !== '' && <TextView text={part.replace(/\n$/, '')} label={name} />}
            </div>
          ))}
      </div>
    </div>
  );
}
