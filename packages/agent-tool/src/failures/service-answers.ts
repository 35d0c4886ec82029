import { builtins, isBuiltinName, readLimitTable, type CrashReason } from '@mustard-sandbox/client';
import { attachmentNames } from './builtin-answers.ts';
import type { Answer, Failure } from './failure.ts';
import { rangeLoop } from './limit-answers.ts';
import { formatLimit } from './words.ts';

const freshProcess = 'Only the process of this script ended; the next script runs in a new one.';

/** The answers to `sidecar_crashed`, by how the process ended. */
export function crashAnswer(failure: Failure): Answer {
  const { what, advice, example } = crashes[failure.error.details.reason ?? 'exit'] ?? crashes.exit;
  return { what: `${what} ${freshProcess}`, advice, example };
}

const again = 'The run was not repeated. The same script may be sent once more.';

const crashes: Record<CrashReason, { what: string; advice: string; example?: string }> = {
  out_of_memory: {
    what: 'The script asked for more memory than its process may have. One operation, such as repeat, join, split or spread, made or took a huge value.',
    advice: 'Do not send it again as it is: build smaller texts and arrays, and read files in ranges.',
    example: rangeLoop('attachments:server.log', readLimitTable.maxReadBytes.default),
  },
  stack_overflow: {
    what: 'The script overflowed the stack of the engine: something is nested or chained too deep.',
    advice: 'Do not send it again as it is: keep flat lists instead of nested ones, and loops instead of recursion.',
    example: `const list = [];
for (let i = 0; i < 1000; i++) list.push(i);
list.length`,
  },
  abort: {
    what: 'The script hit a fault of the engine, which ended its process.',
    advice: 'Do not send it again as it is: do the same in smaller steps, with other methods.',
    example: `const values = [];
for (let i = 0; i < 5; i++) values.push(i * i);
values`,
  },
  killed: {
    what: 'Something outside the sandbox ended the process while the script ran. That is not the fault of the script.',
    advice: again,
  },
  exit: { what: 'The process ended while the script ran; that may not be the fault of the script.', advice: again },
};

export function quarantinedAnswer(failure: Failure): Answer {
  const { crashes: count } = failure.error.details;
  const times = typeof count === 'number' ? `${count} times` : 'before';
  return {
    what: `This very script crashed or hung its process ${times} and was refused; it did not run.`,
    advice: `Do not send it again, and do not send a version that does the same work. Work on smaller pieces, or solve it another way.`,
    example: rangeLoop('attachments:server.log', readLimitTable.maxReadBytes.default),
    hidePlace: true,
  };
}

export function deniedAnswer(failure: Failure): Answer {
  const { capability } = failure.error.details;
  const said = failure.error.message.slice(0, 300);
  if (!isBuiltinName(capability)) {
    return { what: `The call was refused: ${said}`, advice: 'Do not try it again; go on without it, or ask the user.' };
  }
  // The refusal is about SQL and not about a path.
  if (capability === 'query' && failure.error.details.path === undefined) {
    return { what: said, advice: `It is declared so:\n${builtins[capability].declaration}` };
  }
  const { hasRoot, attachments } = failure.context;
  const folder =
    hasRoot === false
      ? ''
      : 'Paths of the folder are relative to it, with "/": list_files() shows them. Secrets such as .env files and keys, .git and node_modules are never readable. ';
  const attached = attachments?.length ? ` (${attachmentNames(attachments)})` : '';
  return {
    what: said,
    advice: `Do not try other spellings of that path. ${folder}Attached files are attachments:<name>: list_files("attachments:") shows them${attached}.`,
    example:
      hasRoot === false
        ? `list_files('attachments:')`
        : `[...list_files(), ...list_files('attachments:')].slice(0, 20)`,
  };
}

export function timeoutOfCallAnswer(failure: Failure): Answer {
  const { capability, value, unit, path } = failure.error.details;
  if (isBuiltinName(capability)) {
    const limit = value === undefined ? 'its time' : `its limit of ${formatLimit(value, unit)}`;
    return {
      what: `${capability}${path === undefined ? '' : ` of ${JSON.stringify(path.slice(0, 200))}`} took longer than ${limit}.`,
      advice:
        'Ask for less at a time: a smaller range, or a folder further down. The file system may be slow: one more try is fine.',
      example: `const [path] = list_files();\nread_file(path, { start: 0, length: 65536 }).length`,
    };
  }
  const name = capability === undefined ? 'a function of the application' : `${capability}()`;
  const [said] = failure.error.message.split('. ') as [string];
  return {
    what: `${said.slice(0, 300)}.`,
    advice: `The time that ${name} may take is set by the application. Try it once more, or go on without it: the script can catch the error.`,
  };
}

/** Codes where the script did nothing wrong. */
export const serviceAnswers = {
  cancelled: {
    what: 'The run was stopped by the user or the application before it ended.',
    advice: 'Do not send the script again unless the user asks for it.',
  },
  engine_unavailable: {
    what: 'The engine that scripts are to run in, MustardScript, is not installed or not made for this platform.',
    advice:
      'No script will help. Tell the user that the setting engine asks for MustardScript, that auto or quickjs runs scripts everywhere, and that `mustard-sandbox doctor` shows what is missing. Go on with other tools.',
  },
  sidecar_unavailable: {
    what: 'The process that runs scripts could not be started; the script did not run and is not at fault.',
    advice:
      'Send the same script again in about half a minute, once. If that fails too, tell the user that the sandbox does not start and go on without it.',
  },
  protocol_error: {
    what: 'The sandbox and its process misunderstood each other; that is a fault of the installation, not of the script.',
    advice:
      'Send the same script once more. If that fails too, tell the user that the sandbox is not working, and go on without it.',
  },
  connection_lost: {
    what: 'The connection to the machine that runs scripts broke; the script is not at fault, and was not run again.',
    advice: 'Send the same script once more, unless it calls functions that must not be called twice.',
  },
  snapshot_refused: {
    what: 'A run that waited cannot go on: what was kept of it does not fit this script, this engine or its files any more.',
    advice:
      'The script is not at fault. Tell the user; send it again as a new run only if its calls may be made again.',
  },
  queue_full: {
    what: 'Too many scripts are waiting already; this one did not run and is not at fault.',
    advice: 'Send the same script again when others have finished, and fewer at a time.',
  },
  closed: {
    what: 'The sandbox was closed; the script is not at fault.',
    advice: 'No script can run in this session any more. Tell the user, and go on without scripts.',
  },
} satisfies Record<string, Answer>;
