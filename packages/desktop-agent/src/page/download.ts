import { AgentError, workspacePath, type RemoteFile } from '../shared/contract/index.ts';
import { errorOf } from './upload.ts';

/** Fetches a whole file of a workspace, or one that a script has saved. @throws {AgentError} */
export async function fetchFile(
  { chatId, path, from = 'workspace' }: RemoteFile,
  { origin, token }: { origin: string; token: string },
): Promise<Blob> {
  const failed = `${path} was not downloaded.`;
  try {
    const response = await fetch(
      `${origin}${workspacePath}?${new URLSearchParams({ chat: chatId, path, from }).toString()}`,
      {
        headers: { authorization: `Bearer ${token}` },
      },
    );
    if (response.ok) return await response.blob();
    throw errorOf(await response.json().catch(() => undefined), failed);
  } catch (error) {
    throw error instanceof AgentError ? error : new AgentError('disconnected', failed, { cause: error });
  }
}

/** Has the browser save the content as a file. */
export function saveAs(content: Blob, fileName: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = fileName;
  link.click();
  // The browser reads the address after the click, and needs less than a minute.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
