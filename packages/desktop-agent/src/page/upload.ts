import {
  AgentError,
  agentErrorCodes,
  uploadPath,
  type AgentErrorCode,
  type UploadOptions,
} from '../shared/contract/index.ts';

/** Uploads a file. `fetch` would not report progress. @returns the unchecked answer of the server. @throws {AgentError} */
export async function sendFile(
  file: Blob,
  { origin, token, chatId, name, onProgress, signal }: UploadOptions & { origin: string; token: string },
): Promise<unknown> {
  return await new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(cancelled());
    const request = new XMLHttpRequest();
    const abort = (): void => request.abort();
    signal?.addEventListener('abort', abort, { once: true });
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort));
    request.addEventListener('abort', () => reject(cancelled()));
    request.addEventListener('error', () => reject(new AgentError('disconnected', `${name} was not sent.`)));
    request.addEventListener('load', () => {
      const answer = parse(request.responseText);
      if (request.status === 201) resolve(answer);
      else reject(errorOf(answer, `${name} was not stored.`));
    });
    request.upload.addEventListener('progress', ({ loaded }) => onProgress?.(loaded));
    request.open('PUT', `${origin}${uploadPath}?${new URLSearchParams({ chat: chatId, name }).toString()}`);
    request.setRequestHeader('authorization', `Bearer ${token}`);
    request.send(file);
  });
}

function cancelled(): AgentError {
  return new AgentError('cancelled', 'The upload was cancelled.');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The error in the answer to a failed request. @param otherwise the message if the answer has none */
export function errorOf(answer: unknown, otherwise: string): AgentError {
  const { code, message } = (answer ?? {}) as { code?: unknown; message?: unknown };
  const known = agentErrorCodes.find((one) => one === code) ?? ('internal' satisfies AgentErrorCode);
  return new AgentError(known, typeof message === 'string' ? message : otherwise);
}
