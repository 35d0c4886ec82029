import type { EventData, EventName, Params, RequestName, Result } from './channels.ts';
import type { Upload } from './model.ts';

/** Where a file is: in the workspace of the chat, with what its scripts have saved, or with the files of its messages. */
export const fileSources = ['workspace', 'saved', 'picture'] as const;
export type FileSource = (typeof fileSources)[number];

/** A file on the server. */
export interface RemoteFile {
  chatId: string;
  /** Of a file that a script has saved, and of a picture, its name. */
  path: string;
  /** Default: the workspace of the chat. */
  from?: FileSource;
}

export interface UploadOptions {
  chatId: string;
  /** As the person knows it. */
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
  /** Stores a file for a chat; `chat:stream` uses it by its id. `onProgress` hears the bytes sent. */
  upload(file: Blob, options: UploadOptions): Promise<Upload>;
  /** A whole file of the workspace of a chat. Rejects with an `AgentError`. */
  download(file: RemoteFile): Promise<Blob>;
  /** Whether there is a connection, and each change of that. After it came back the page asks for the state anew. */
  onConnection(listener: (connected: boolean) => void): () => void;
}

/** How the server answers each channel. `signal` aborts when the page that asked is gone. */
export type Handlers = {
  [Name in RequestName]: (params: Params<Name>, context: { signal: AbortSignal }) => Promise<Result<Name>>;
};

/** The server's end: tells every page that is open. What is sent to a page that is gone is dropped. */
export type Broadcast = <Name extends EventName>(name: Name, data: EventData<Name>) => void;
