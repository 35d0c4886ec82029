import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * How a link is bad. Times in ms.
 *
 * @typedef {{
 *   delayMs?: number,
 *   jitterMs?: number,
 *   bytesPerSecond?: number,
 *   stallEvery?: number,
 *   stallMs?: number,
 *   cutEvery?: number,
 *   segmentBytes?: number,
 * }} Badness `stallEvery`, `cutEvery`: after about so many bytes; `segmentBytes`: the most that arrives at once
 */

/**
 * A way to a server that does to bytes what a bad network does to them: they come late, slowly, in small pieces, not for
 * a while, and then not at all. What came is what was sent, in its order: a lost packet is seen by a program as a delay.
 *
 * @param {string} url of the server
 * @param {Badness} badness
 */
export async function openBadLink(url, badness) {
  const { hostname, port } = new URL(url);
  const link = { url: '', cuts: 0, stalls: 0, bytes: 0, badness, left: {}, close: () => {} };
  const sockets = new Set();
  const server = createServer({ noDelay: true }, (socket) => {
    const other = connect({ host: hostname, port: Number(port), noDelay: true });
    for (const one of [socket, other]) {
      sockets.add(one);
      one.on('error', () => {}).on('close', () => sockets.delete(one));
    }
    void carry(socket, other, link);
    void carry(other, socket, link);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  link.url = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`;
  link.close = () => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return link;
}

/** Carries the bytes of one direction. What is not taken holds up the sender, as a full window does. */
async function carry(from, to, link) {
  try {
    for await (const chunk of from) {
      for (const piece of pieces(chunk, link.badness)) await pass(piece, to, link);
    }
    to.end();
  } catch {
    // The other end went away.
  } finally {
    from.destroy();
    to.destroySoon();
  }
}

function* pieces(chunk, { segmentBytes = 64 * 1024 }) {
  for (let at = 0; at < chunk.length; at += segmentBytes) yield chunk.subarray(at, at + segmentBytes);
}

async function pass(piece, to, link) {
  const {
    delayMs = 0,
    jitterMs = 0,
    bytesPerSecond = Infinity,
    stallEvery = 0,
    stallMs = 0,
    cutEvery = 0,
  } = link.badness;
  const waitMs = delayMs + Math.random() * jitterMs + (piece.length * 1000) / bytesPerSecond;
  if (waitMs > 0) await sleep(waitMs);
  if (happens(piece, 'stall', stallEvery, link)) {
    link.stalls++;
    await sleep(stallMs);
  }
  if (happens(piece, 'cut', cutEvery, link)) {
    link.cuts++;
    // In the middle of the piece: a frame, a header or a character may be cut anywhere.
    to.write(piece.subarray(0, Math.floor(Math.random() * piece.length)));
    throw new Error('cut');
  }
  link.bytes += piece.length;
  if (!to.write(piece)) await Promise.race([once(to, 'drain'), once(to, 'close')]);
  if (to.destroyed) throw new Error('gone');
}

/** Whether it comes within this piece: each time after half to one and a half times as many bytes. */
function happens({ length }, what, every, link) {
  if (every === 0) return false;
  const left = (link.left[what] ?? after(every)) - length;
  link.left[what] = left > 0 ? left : after(every);
  return left <= 0;
}

const after = (every) => every * (0.5 + Math.random());
