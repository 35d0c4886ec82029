// The parts of the protocol that only a sidecar needs: writing values and raw JSON, and the streams beneath a
// connection.
export { inWords } from './compile-failure.ts';
export type { ByteSink, ByteSource } from './framing.ts';
export { nameIsTaken } from './names.ts';
export { shapeOf } from './message-shape.ts';
export { bytesOfMessage, RawJson, stringifyMessage } from './raw-json.ts';
export { decodeUtf8 } from './utf8.ts';
export { assertFewItems, encodeLeaving, entriesOf, isHole, setOwn, specialOf, tag } from './values.ts';
