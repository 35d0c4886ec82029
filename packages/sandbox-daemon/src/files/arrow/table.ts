import type { Batch } from '@uwdata/flechette';
import { messageOf, SandboxError, shorten } from '@mustard-sandbox/protocol';
import { openContent } from '../archives/content.ts';
import type { BuiltinCall } from '../call.ts';
import type { BuiltinContext } from '../context.ts';
import type { Loaded, LoadedType, LoadedValue } from '../query/loaded.ts';
import { namesOf } from '../sheets/cells.ts';
import { loadArrow, type Arrow } from './library.ts';
import { messagesOf, type Message } from './messages.ts';
import { messageKinds } from './metadata.ts';
import { assertFilled } from './buffers.ts';
import { readerOf, typeIdOf } from './values.ts';

const checkedRows = 200;
const maxValueBytes = 4 * 1024 * 1024;
/** All dictionaries are held while the rows are read. */
const maxDictionaries = 64 * 1024 * 1024;

/** A file or a stream of Arrow as a table, of which one batch is held at a time. The caller disposes of it. */
export async function arrowTable(
  context: BuiltinContext,
  path: string,
  call: BuiltinCall,
): Promise<Loaded & Disposable> {
  const arrow = await loadArrow();
  const content = openContent(context, path, call);
  try {
    context.markRead(path);
    const reader = new Reader(arrow, messagesOf(content, context, call), call);
    const columns = reader.columns();
    return { columns, rows: reader.rows(context), [Symbol.dispose]: () => content[Symbol.dispose]() };
  } catch (error) {
    content[Symbol.dispose]();
    throw explained(error, call);
  }
}

class Reader {
  readonly #arrow: Arrow;
  readonly #messages: Generator<Message, void>;
  readonly #call: BuiltinCall;
  readonly #dictionaries: Uint8Array[] = [];
  #schema: Uint8Array = new Uint8Array();

  constructor(arrow: Arrow, messages: Generator<Message, void>, call: BuiltinCall) {
    this.#arrow = arrow;
    this.#messages = messages;
    this.#call = call;
  }

  columns(): { name: string; type: LoadedType }[] {
    const { value: first } = this.#messages.next();
    if (first === undefined || first.kind !== messageKinds.schema) throw new Error('it begins with no schema');
    this.#schema = first.bytes;
    const { fields } = this.#arrow.tableFromIPC([first.bytes]).schema;
    if (fields.length === 0) throw new Error('it has no columns');
    const names = namesOf(
      fields.map(({ name }) => name),
      fields.length,
      1,
    );
    return fields.map(({ type }, at) => ({
      name: names[at] as string,
      type: readerOf(type, names[at] as string).type,
    }));
  }

  *rows(context: BuiltinContext): Generator<LoadedValue[], void> {
    let dictionaryBytes = 0;
    let count = 0;
    try {
      for (const { kind, bytes } of this.#messages) {
        if (kind === messageKinds.dictionary) {
          this.#dictionaries.push(bytes);
          dictionaryBytes += bytes.length;
          if (dictionaryBytes > maxDictionaries) throw this.#tooLarge(dictionaryBytes, 'dictionaries');
        }
        if (kind !== messageKinds.records) continue;
        for (const row of this.#rowsOf(bytes)) {
          if (++count % checkedRows === 0) context.pace.check();
          yield row;
        }
      }
    } catch (error) {
      throw explained(error, this.#call);
    }
  }

  *#rowsOf(bytes: Uint8Array): Generator<LoadedValue[], void> {
    // The dictionaries are views of their bytes, so it takes little to hand them over with each batch.
    const options = { useBigInt: true, useBigIntTimestamp: true, useDate: false };
    const table = this.#arrow.tableFromIPC([this.#schema, ...this.#dictionaries, bytes], options);
    const columns = table.children.map((column, at) => {
      const [batch] = column.data as Batch<unknown>[];
      if (batch === undefined || batch.length !== table.numRows) throw new Error('its columns differ in length');
      assertFilled(batch, typeIdOf(column.type));
      const { valueOf } = readerOf(column.type, String(at));
      return { batch, valueOf };
    });
    for (let row = 0; row < table.numRows; row++) {
      yield columns.map(({ batch, valueOf }) => this.#fitting(batch.at(row), valueOf));
    }
  }

  #fitting(value: unknown, valueOf: (value: unknown) => LoadedValue): LoadedValue {
    if (value === null) return null;
    if (value === undefined) throw new Error('it has fewer values than it says');
    const found = valueOf(value);
    if (typeof found === 'string' && found.length > maxValueBytes) throw this.#tooLarge(found.length, 'a value');
    return found;
  }

  #tooLarge(size: number, what: string): SandboxError {
    const why = `${this.#call.shown} has ${what} of ${size} bytes, which is more than is read.`;
    return this.#call.limitExceeded('argument_bytes', maxValueBytes, size, why);
  }
}

function explained(error: unknown, call: BuiltinCall): unknown {
  if (error instanceof SandboxError || (error instanceof Error && 'syscall' in error)) return error;
  const why = `${call.shown} cannot be read as Arrow: ${shorten(messageOf(error), 200)}.`;
  return call.failed('NotReadableError', why);
}
