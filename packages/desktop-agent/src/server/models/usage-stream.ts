// What servers say about usage, before the SDK reads it. The SDK would end an answer whose usage is not a number.

/** The most characters of a line that is searched. Usage is in short lines. */
const maxLine = 1024 * 1024;

/** Removes the usage from each event in which it is not made of numbers. All other bytes stay as they are. */
export function withoutBadUsage(response: Response): Response {
  const { body } = response;
  if (body === null || response.headers.get('content-type')?.includes('text/event-stream') !== true) return response;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  const mended = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        const text = decoder.decode(chunk, { stream: true });
        const end = text.lastIndexOf('\n') + 1;
        // A line that is too long to be searched goes through in pieces.
        if (end === 0 && rest.length + text.length <= maxLine) {
          rest += text;
          return;
        }
        const lines = rest + (end === 0 ? text : text.slice(0, end));
        rest = end === 0 ? '' : text.slice(end);
        controller.enqueue(encoder.encode(lines.includes('"usage"') ? mend(lines) : lines));
      },
      flush(controller) {
        rest += decoder.decode();
        if (rest !== '') controller.enqueue(encoder.encode(mend(rest)));
      },
    }),
  );
  return new Response(mended, { status: response.status, statusText: response.statusText, headers: response.headers });
}

function mend(lines: string): string {
  return lines
    .split('\n')
    .map((line) => (line.includes('"usage"') && line.length <= maxLine ? mendLine(line) : line))
    .join('\n');
}

function mendLine(line: string): string {
  const start = line.indexOf('{');
  if (!line.startsWith('data:') || start === -1) return line;
  try {
    const event = JSON.parse(line.slice(start)) as Record<string, unknown>;
    if (event['usage'] === null || event['usage'] === undefined || isUsage(event['usage'])) return line;
    return `data: ${JSON.stringify({ ...event, usage: null })}`;
  } catch {
    return line;
  }
}

const counted = ['prompt_tokens', 'completion_tokens', 'total_tokens'];
const detailed = ['prompt_tokens_details', 'completion_tokens_details'];
const details = ['cached_tokens', 'reasoning_tokens', 'accepted_prediction_tokens', 'rejected_prediction_tokens'];

/** Whether the fields that the SDK reads are numbers or missing. */
function isUsage(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = value as Record<string, unknown>;
  const parts = detailed.map((name) => fields[name] ?? {});
  if (parts.some((one) => typeof one !== 'object' || Array.isArray(one))) return false;
  const numbers = [
    ...counted.map((name) => fields[name]),
    ...parts.flatMap((one) => details.map((name) => (one as Record<string, unknown>)[name])),
  ];
  return numbers.every((field) => field === undefined || field === null || Number.isFinite(field));
}
