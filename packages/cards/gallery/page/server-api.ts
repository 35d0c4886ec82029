// What the server wants to see with every call; in the part of the address that no server is sent.
const token = new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };

/** One call of the gallery's server. @throws what went wrong, in the server's words */
export async function askServer(method: string, body: object): Promise<unknown> {
  const response = await fetch(`/api/${method}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = (await response.json()) as { problem?: string };
  if (!response.ok) throw new Error(answer.problem ?? response.statusText);
  return answer;
}

export async function loadFullOutput(name: string): Promise<string> {
  const { text } = (await askServer('output', { name })) as { text: string };
  return text;
}

/** Hears what the server tells, one JSON a line, until the connection ends. */
export async function listen(onEvent: (event: unknown) => void, signal: AbortSignal): Promise<void> {
  const response = await fetch('/api/events', { method: 'POST', headers, body: '{}', signal });
  if (!response.ok || response.body === null) throw new Error(response.statusText);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) if (line !== '') onEvent(JSON.parse(line));
  }
}
