import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { outputOf } from '@mustard-sandbox/client/isolation';

/** A pipe, open at both ends. The writing end is for a child; close it here after the child was started. */
export interface Pipe {
  reader: Socket;
  writeFd: number;
}

/** Pipes are made with one call of mkfifo, because a call takes as long as a command. */
const batch = 16;
const makingMs = 30_000;

/** Makes pipes. Node's own pipes for a child are sockets, and only real pipes can be opened by /dev/stdout. */
export class Pipes {
  readonly #folder: string;
  #paths: Promise<string[]> = Promise.resolve([]);

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** @throws the error of the system */
  async two(): Promise<[Pipe, Pipe]> {
    for (;;) {
      const paths = await this.#paths;
      const [first, second] = paths.splice(0, 2);
      if (first !== undefined && second !== undefined) return [openPipe(first), openPipe(second)];
      // Callers that come meanwhile wait for the same pipes.
      if (paths.length === 0) this.#paths = this.#make();
    }
  }

  async #make(): Promise<string[]> {
    const tag = randomBytes(6).toString('hex');
    const paths = Array.from({ length: batch }, (_, index) => join(this.#folder, `${tag}-${index}`));
    try {
      await outputOf(['/usr/bin/mkfifo', '-m', '600', ...paths], { env: {}, timeout: makingMs });
    } catch (error) {
      this.#paths = Promise.resolve([]);
      throw error;
    }
    return paths;
  }
}

function openPipe(path: string): Pipe {
  // Opening the writing end would wait while nobody has the reading end open.
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeFd = openSync(path, constants.O_WRONLY);
  rmSync(path);
  return { reader: new Socket({ fd: readFd, readable: true, writable: false }), writeFd };
}

export function discard({ reader, writeFd }: Pipe): void {
  reader.destroy();
  closeSync(writeFd);
}
