import type { EventData, EventName, Params, RequestName, Result } from './channels.ts';
import type { Upload } from './model.ts';

/** Where a file is: in the workspace of the chat, among the files that its scripts saved, or among its attachments. */
export const fileSources = ['workspace', 'saved', 'picture'] as const;
export type FileSource = (typeof fileSources)[number];

/** A file on the server. */
export interface RemoteFile {
  chatId: string;
  /** For a saved file or a picture, this is its name. */
  path: string;
  /** The default is the workspace of the chat. */
  from?: FileSource;
}

export interface UploadOptions {
  chatId: string;
  /** The name of the file for the person. */
  name: string;
  onProgress?: (bytes: number) => void;
  /** Aborting it leaves nothing behind. */
  signal?: AbortSignal;
}

/** The page's end. WebSocket today; Electron's `contextBridge` would be a second one. */
export interface PageTransport {
  /** Rejects with an `AgentError`. A channel that is not on the list throws. */
  invoke<Name extends RequestName>(name: Name, params: Params<Name>): Promise<Result<Name>>;
  /** Returns a function that removes the listener. */
  on<Name extends EventName>(name: Name, listener: (data: EventData<Name>) => void): () => void;
  /** Stores a file for a chat; `chat:stream` uses it by its id. `onProgress` is called with the bytes sent. */
  upload(file: Blob, options: UploadOptions): Promise<Upload>;
  /** A whole file of the workspace of a chat. Rejects with an `AgentError`. */
  download(file: RemoteFile): Promise<Blob>;
  /** Called with whether there is a connection, and at each change. When it is back, the page asks for the state again. */
  onConnection(listener: (connected: boolean) => void): () => void;
}

/** The server's handler of each channel. `signal` aborts when the asking page is gone. */
export type Handlers = {
  [Name in RequestName]: (params: Params<Name>, context: { signal: AbortSignal }) => Promise<Result<Name>>;
};

/** The server's end. It sends an event to every open page. */
export type Broadcast = <Name extends EventName>(name: Name, data: EventData<Name>) => void;
