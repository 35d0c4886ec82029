import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const child = fileURLToPath(new URL('raw-child.mjs', import.meta.url));

/** What a run of `1 + 1` says at least. */
const smallMessage = Buffer.from(
  `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'echo', params: { script: '1 + 1' } })}\n`,
);

/**
 * A child that does nothing but read and write, over the same kind of pipes as a sidecar.
 *
 * @param {'echo' | 'source' | 'sink' | 'relay'} mode
 */
export function openRawPipe(mode) {
  const subprocess = spawn(process.execPath, [child, mode], { stdio: ['pipe', 'pipe', 'inherit'] });
  return {
    /**
     * Writes `message` and waits for so many bytes.
     *
     * @param {string | Uint8Array} message
     * @param {number} answerBytes
     * @returns {Promise<void>}
     */
    send(message, answerBytes) {
      return new Promise((resolve) => {
        let missing = answerBytes;
        const onData = (chunk) => {
          missing -= chunk.length;
          if (missing > 0) return;
          subprocess.stdout.off('data', onData);
          resolve();
        };
        subprocess.stdout.on('data', onData);
        subprocess.stdin.write(message);
      });
    },
    close() {
      subprocess.kill();
    },
  };
}

/** One small message there and back; with `relay`, through a process that does nothing but pass it on. */
export function openRawEcho(/** @type {'echo' | 'relay'} */ mode = 'echo') {
  const pipe = openRawPipe(mode);
  return { echo: () => pipe.send(smallMessage, smallMessage.length), close: () => pipe.close() };
}
