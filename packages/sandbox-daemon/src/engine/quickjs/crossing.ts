import { isUtf8 } from 'node:buffer';
import {
  decodeValue,
  encodeValue,
  maxValueDepth,
  type RunWarning,
  type SandboxValue,
  type WireValue,
} from '@mustard-sandbox/protocol';
import { assertFewItems, RawJson, shapeOf } from '@mustard-sandbox/protocol/sidecar';
import type { Completed } from '../interface.ts';
import type { Program } from '../read/program.ts';
import { resultError } from './failures.ts';
import { notesOf } from './notes.ts';
import type { Instance } from './stock.ts';
import type { Given, Value } from './vm.ts';

const dollar = 0x24;

/**
 * The value of the script as it leaves the instance, in which nothing may run afterwards.
 *
 * @param valueOf throws for a failure of the engine
 */
export function leave(
  value: Value,
  { vm, entries }: Instance,
  program: Program,
  valueOf: (given: Given) => Value,
): Completed & { warnings: RunWarning[] } {
  // QuickJS takes ten times as long to write a text as JSON. Half of a surrogate pair is not valid in UTF-8.
  const plain = vm.isText(value) ? vm.viewOf(vm.hold(value)) : undefined;
  if (plain !== undefined && isUtf8(plain)) {
    const json = RawJson.ofText(plain);
    return { value: { json }, size: json.length, warnings: [] };
  }
  const text = vm.hold(valueOf(vm.call(entries.leave, value)));
  const isSpecial = vm.viewOf(text)[0] === dollar;
  const shape = shapeOf(vm.viewOf(text));
  // Only a value with one of these in its JSON may hold something that JSON cannot say: see prelude/values.js.
  const mayNeedTags = !isSpecial && (mayHoldSymbols(program) || shape.hasNull || shape.hasTag);
  const again = mayNeedTags ? vm.hold(valueOf(vm.call(entries.leaveTagged, value))) : text;
  const warnings = notesOf(JSON.parse(vm.textOf(valueOf(vm.call(entries.takeNotes))).toString()) as string[]);
  // Nothing runs in the instance after this, so a view of its memory stays unchanged until it is sent.
  const isTagged = isSpecial || (mayNeedTags && !vm.viewOf(again).equals(vm.viewOf(text)));
  const json = vm.viewOf(again).subarray(isSpecial ? 1 : 0);
  const { depth, items } = isTagged ? shapeOf(json) : shape;
  if (depth > maxValueDepth * (isTagged ? 3 : 1)) {
    throw resultError(`it nests deeper than ${maxValueDepth} levels. Flatten it.`);
  }
  assertFewItems(items, 'The result');
  return {
    value: isTagged ? { tagged: JSON.parse(json.toString()) as unknown } : { json: new RawJson(json) },
    size: json.length,
    warnings,
  };
}

/** JSON leaves symbols out silently. */
export function mayHoldSymbols({ source }: Program): boolean {
  return source.includes('Symbol');
}

/** The length in UTF-16 units from which a text counts as long. */
const longText = 4096;

/** Splits the inputs into long texts and the others. */
export function longTexts(inputs: WireValue): { texts: [string, string][]; rest: WireValue } {
  if ('tagged' in inputs || inputs.json instanceof RawJson) return { texts: [], rest: inputs };
  const entries = Object.entries(inputs.json as Record<string, unknown>);
  const texts = entries.filter((entry): entry is [string, string] => isLong(entry[1]));
  if (texts.length === 0) return { texts, rest: inputs };
  return { texts, rest: { json: Object.fromEntries(entries.filter(([, value]) => !isLong(value))) } };
}

/** Half of a surrogate pair would be lost in UTF-8. */
function isLong(value: unknown): boolean {
  return typeof value === 'string' && value.length >= longText && (value as WellFormed).isWellFormed();
}

/** Every Node from 20 on has this function, but the types are of an older JavaScript. */
type WellFormed = string & { isWellFormed(): boolean };

/** The arguments of a call that the script makes. */
export function argumentsOf(text: Buffer): SandboxValue[] {
  const isTagged = text[0] === dollar;
  const parsed = JSON.parse(text.toString('utf8', isTagged ? 1 : 0)) as unknown;
  return (isTagged ? decodeValue({ tagged: parsed }) : parsed) as SandboxValue[];
}

/** The JSON of a value in the form that prelude/values.js decodes. */
export function jsonOf(value: WireValue): Buffer {
  if ('tagged' in value) return Buffer.from(`$${JSON.stringify(value.tagged)}`);
  if (value.json instanceof RawJson) return value.json.bytes;
  const text = JSON.stringify(value.json);
  // JSON of a peer may say infinity, as 1e999, which JSON.stringify cannot write.
  if (text.includes('null')) return jsonOfSpecial(value.json);
  return Buffer.from(text);
}

function jsonOfSpecial(json: unknown): Buffer {
  const value = encodeValue(json, 'a value');
  return Buffer.from('tagged' in value ? `$${JSON.stringify(value.tagged)}` : JSON.stringify(value.json));
}
