import * as zlib from 'node:zlib';

// Node's own since 20.15; the types of Node 20 do not know it.
const { crc32 } = zlib as unknown as { crc32: (data: Buffer) => number };

/** A ZIP with these files, each packed, or as it is. */
export function zipOf(files: Record<string, string | Buffer>, { packed = true } = {}): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, content] of Object.entries(files)) {
    const plain = Buffer.from(content);
    const data = packed ? zlib.deflateRawSync(plain) : plain;
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt32LE(offset, 42);
    for (const [header, at] of [
      [local, 8],
      [entry, 10],
    ] as const) {
      header.writeUInt16LE(packed ? 8 : 0, at);
      header.writeUInt32LE(crc32(plain), at + 6);
      header.writeUInt32LE(data.length, at + 10);
      header.writeUInt32LE(plain.length, at + 14);
      header.writeUInt16LE(Buffer.byteLength(name), at + 18);
    }
    locals.push(local, Buffer.from(name), data);
    entries.push(entry, Buffer.from(name));
    offset += 30 + Buffer.byteLength(name) + data.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(Object.keys(files).length, 8);
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, directory, end]);
}

export interface Parts {
  /** The cells of each sheet, as XML. */
  sheets: Record<string, string>;
  shared?: string;
  styles?: string;
  /** Of the workbook. */
  properties?: string;
}

/** The files in a workbook of Excel. */
export function partsOf({ sheets, shared, styles, properties = '' }: Parts): Record<string, string> {
  const names = Object.keys(sheets);
  const list = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`).join('');
  const relations = names.map(
    (_, at) => `<Relationship Id="rId${at + 1}" Type="worksheet" Target="worksheets/sheet${at + 1}.xml"/>`,
  );
  return {
    'xl/workbook.xml': `<?xml version="1.0"?><workbook>${properties}<sheets>${list}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships>${relations.join('')}</Relationships>`,
    ...Object.fromEntries(
      names.map((name, at) => [
        `xl/worksheets/sheet${at + 1}.xml`,
        `<worksheet><sheetData>${sheets[name]}</sheetData></worksheet>`,
      ]),
    ),
    ...(shared !== undefined && { 'xl/sharedStrings.xml': `<sst>${shared}</sst>` }),
    ...(styles !== undefined && { 'xl/styles.xml': `<styleSheet>${styles}</styleSheet>` }),
  };
}

export function workbookOf(parts: Parts): Buffer {
  return zipOf(partsOf(parts));
}

/** Rows of numbers and texts as XML. */
export function cellsOf(rows: readonly (readonly (string | number | null)[])[]): string {
  const cell = (value: string | number | null, place: string): string => {
    if (value === null) return '';
    if (typeof value === 'number') return `<c r="${place}"><v>${value}</v></c>`;
    return `<c r="${place}" t="inlineStr"><is><t>${value}</t></is></c>`;
  };
  return rows
    .map(
      (row, at) =>
        `<row r="${at + 1}">${row.map((value, column) => cell(value, `${String.fromCharCode(65 + column)}${at + 1}`)).join('')}</row>`,
    )
    .join('');
}
