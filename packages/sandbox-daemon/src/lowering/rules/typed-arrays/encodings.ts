import type { Helper } from '../../helper.ts';

/** TextEncoder and TextDecoder. */
export const encodingHelpers: Helper[] = [
  {
    name: 'newEncoder',
    code: `function __ms_newEncoder() {
  const encoder = { encoding: 'utf-8' };
  __ms_typed.set(encoder, { kind: 'TextEncoder' });
  return encoder;
}
function __ms_encode(given) {
  const text = given === undefined ? '' : __ms_string(given);
  if (__ms_hasV8) return __ms_inV8('encode', text);
  const bytes = [];
  for (const part of text.split('')) {
    const escaped = encodeURIComponent(part);
    if (escaped.length === 1) bytes.push(escaped.charCodeAt(0));
    else for (let at = 1; at < escaped.length; at += 3) bytes.push(Number('0x' + escaped.slice(at, at + 2)));
  }
  return bytes;
}`,
  },
  {
    name: 'newDecoder',
    code: `function __ms_newDecoder(given, options) {
  const label = given === undefined ? 'utf-8' : __ms_string(given).trim().toLowerCase();
  const encoding = { utf8: 'utf-8', 'utf-8': 'utf-8', 'utf-16': 'utf-16le', 'utf-16le': 'utf-16le', latin1: 'windows-1252', ascii: 'windows-1252', 'iso-8859-1': 'windows-1252', 'windows-1252': 'windows-1252' }[label];
  if (encoding === undefined) __ms_refuse('TextDecoder knows utf-8, utf-16le and latin1 here');
  const decoder = { encoding, fatal: Boolean(options?.fatal), ignoreBOM: Boolean(options?.ignoreBOM) };
  __ms_typed.set(decoder, { kind: 'TextDecoder' });
  return decoder;
}
function __ms_decode({ encoding, fatal, ignoreBOM }, given, options) {
  if (given === undefined) return '';
  if (options?.stream) __ms_refuse('decode with stream is not supported: decode all bytes at once');
  const it = typeof given === 'object' && given !== null ? __ms_typed.get(given) : undefined;
  if (it === undefined) throw new TypeError('The "list" argument must be an instance of ArrayBuffer or ArrayBufferView.');
  const bytes =
    it.kind === 'ArrayBuffer' ? __ms_bytesIn(it)
    : it.kind === 'Uint8Array' ? given
    : it.kind === 'DataView' ? __ms_bytesIn(__ms_typed.get(it.buffer)).slice(it.offset, it.offset + it.length)
    : given.flatMap((n) => __ms_toBytes(it.kind, n));
  const text = __ms_inV8('decode', encoding, fatal, ignoreBOM, bytes);
  if (text === null) throw new TypeError('The encoded data was not valid for encoding ' + encoding);
  return text;
}`,
  },
];
