// What only a sidecar needs of the protocol: how values and raw JSON are written, and the streams beneath a connection.
export { inWords } from './compile-failure.ts';
export type { ByteSink, ByteSource } from './framing.ts';
export { nameIsTaken } from './names.ts';
export { shapeOf } from './message-shape.ts';
export { bytesOfMessage, RawJson, stringifyMessage } from './raw-json.ts';
export { decodeUtf8 } from './utf8.ts';
export { assertFewItems, encodeLeaving, entriesOf, isHole, setOwn, specialOf, tag } from './values.ts';
