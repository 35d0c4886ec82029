import { type ErrorCode, isErrorCode, SandboxError } from '@mustard-sandbox/client';
import { invalidRequest, shorten } from '@mustard-sandbox/protocol';
import { Failure, type Answer, type FailureContext } from './failure.ts';
import { limitAnswer, timeoutAnswer } from './limit-answers.ts';
import { describeLocation, showCode } from './location.ts';
import { parseErrorAnswer, scriptErrorAnswer, unsupportedAnswer } from './script-answers.ts';
import {
  timeoutOfCallAnswer,
  crashAnswer,
  deniedAnswer,
  quarantinedAnswer,
  serviceAnswers,
} from './service-answers.ts';

export type { FailureContext } from './failure.ts';

/** The longest answer, in characters. It is short because a model pays for each character. */
export const maxAnswerLength = 1_500;

const maxWhatLength = 500;

/**
 * The text for a model whose script failed. It tells what happened and where, which limit was exceeded, and what to
 * write instead, with code that runs. Plain text with Markdown fences; it holds no path of the host.
 *
 * @throws {SandboxError} `invalid_request` when `error` is not a `SandboxError`, or when there is no script
 */
export function explainFailure(error: SandboxError, context: FailureContext): string {
  // Checked by its code, because another copy of the package may have made the error.
  if (!isErrorCode((error as Partial<SandboxError> | undefined)?.code)) {
    throw invalidRequest(
      'explainFailure()',
      'the first argument must be a SandboxError; any other error is not a failure of the script',
    );
  }
  if (typeof (context as Partial<FailureContext> | undefined)?.script !== 'string') {
    throw invalidRequest('explainFailure()', 'the second argument must be { script }, with the script that failed');
  }
  const failure = new Failure(error, context);
  return renderAnswer(answers[error.code](failure), failure);
}

const answers: Record<ErrorCode, (failure: Failure) => Answer> = {
  parse_error: parseErrorAnswer,
  unsupported_syntax: unsupportedAnswer,
  script_error: scriptErrorAnswer,
  limit_exceeded: limitAnswer,
  timeout: timeoutAnswer,
  cancelled: () => serviceAnswers.cancelled,
  capability_denied: deniedAnswer,
  capability_timeout: timeoutOfCallAnswer,
  cannot_freeze: ({ error }) => ({
    what: error.message,
    advice: 'Await every call of a host function, and send the corrected script.',
  }),
  sidecar_crashed: crashAnswer,
  sidecar_unavailable: () => serviceAnswers.sidecar_unavailable,
  quarantined: quarantinedAnswer,
  engine_unavailable: () => serviceAnswers.engine_unavailable,
  protocol_error: () => serviceAnswers.protocol_error,
  connection_lost: () => serviceAnswers.connection_lost,
  queue_full: () => serviceAnswers.queue_full,
  closed: () => serviceAnswers.closed,
  snapshot_refused: () => serviceAnswers.snapshot_refused,
  invalid_request: ({ error }) => ({
    what: `The call was refused before the script ran: ${withoutHostPaths(error.message.slice(0, 1_000)).slice(0, 300)}`,
    advice:
      'Fix the option it names. If it names something that you did not pass, such as a missing folder or attachment, tell the user.',
  }),
};

function renderAnswer({ what, advice, example, hidePlace }: Answer, { error, context }: Failure): string {
  const location = hidePlace === true ? undefined : error.details.location;
  const at = location === undefined ? '' : `, ${describeLocation(location, context.script)}`;
  const first = `${error.code}${at}: ${shorten(what, maxWhatLength)}`;
  const code = location && showCode(location, error.details.frame, context.script);
  const shown = code === undefined ? [] : [fenced('', code)];
  const last = example === undefined ? [] : [fenced('js', example)];
  const whole = [first, ...shown, advice, ...last].join('\n');
  if (whole.length <= maxAnswerLength) return whole;
  // The first line names the place already, so the code is the first part to leave out.
  const room = maxAnswerLength - [first, '', ...last].join('\n').length;
  return [first, shorten(advice, room), ...last].join('\n');
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``;
}

const segment = String.raw`[\w.@~+-]+`;
/** A path of two or more segments. A segment may hold a space only when another segment follows. */
const hostPath = new RegExp(
  String.raw`(?<![\w.])(?:[A-Za-z]:)?(?:[\\/](?:${segment}(?: ${segment})*(?=[\\/])|${segment})){2,}`,
  'g',
);

/** The error about a wrong option of the host may name files of the host. The model must not see those paths. */
function withoutHostPaths(text: string): string {
  return text.replace(hostPath, '(a path)');
}
