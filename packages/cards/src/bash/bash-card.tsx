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
  const ending = endingOf(run, isRunning, t);
  const what = oneLine(command);
  const stats = [ending, ...(durationMs === undefined ? [] : [format.duration(durationMs)])];
  const status = isRunning ? 'running' : hasFailed ? 'error' : stopped ? 'stopped' : 'success';
  return (
    <Collapsible.Root
      className="ms ms-card"
      data-status={status}
      data-tone={states[status].tone}
      open={chosen ?? hasFailed}
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
