import { lettersOf } from '../sheets/cells.ts';
import { textOfCell, type Table } from './table.ts';
import { zipOf } from './zip-writer.ts';

/** The most that Excel opens. */
const [maxRows, maxColumns, maxText] = [1_048_576, 16_384, 32_767];
const [headerStyle, dateStyle] = [1, 2];
const dayMs = 86_400_000;
/** Excel has a 29 February 1900, so days count from this date only from March 1900 on. */
const [firstDay, dayZero] = ['1900-03-01', Date.UTC(1899, 11, 30)];

/**
 * Rows as a workbook of Excel with one sheet. Numbers and booleans keep their types. Texts are never formulas. A date such as
 * `2024-02-29` becomes a date of Excel that looks the same.
 *
 * @param check called for each row
 * @throws {Error} for more than Excel opens
 */
export function xlsxOf({ columns, rows }: Table, check: () => void): Buffer {
  const width = columns?.length ?? rows.reduce((most, row) => Math.max(most, row.length), 0);
  const count = rows.length + (columns === undefined ? 0 : 1);
  if (count > maxRows) throw new Error(`Excel opens ${maxRows} rows, and these are ${count}`);
  if (width > maxColumns) throw new Error(`Excel opens ${maxColumns} columns, and these are ${width}`);
  const lines: string[] = [];
  if (columns !== undefined) lines.push(rowOf(columns, 1, headerStyle));
  for (const row of rows) {
    check();
    lines.push(rowOf(row, lines.length + 1));
  }
  const frozen = columns === undefined ? '' : frozenHeader;
  const sheet = `<worksheet xmlns="${main}">${frozen}<sheetData>${lines.join('')}</sheetData></worksheet>`;
  const files = { ...parts, 'xl/worksheets/sheet1.xml': sheet };
  return zipOf(
    Object.fromEntries(Object.entries(files).map(([name, xml]) => [name, Buffer.from(`${declaration}${xml}`)])),
  );
}

function rowOf(cells: readonly unknown[], number: number, style?: number): string {
  const written = cells.map((cell, at) => cellOf(cell, `${lettersOf(at + 1)}${number}`, style));
  return `<row r="${number}">${written.join('')}</row>`;
}

function cellOf(value: unknown, place: string, style?: number): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'number' && Number.isFinite(value)) return `<c r="${place}"><v>${value}</v></c>`;
  if (typeof value === 'boolean') return `<c r="${place}" t="b"><v>${value ? 1 : 0}</v></c>`;
  const text = textOfCell(value);
  const day = style === undefined ? dayOf(text) : undefined;
  if (day !== undefined) return `<c r="${place}" s="${dateStyle}"><v>${day}</v></c>`;
  if (text.length > maxText)
    throw new Error(`Excel opens texts of ${maxText} characters, and ${place} has ${text.length}`);
  const styled = style === undefined ? '' : ` s="${style}"`;
  return `<c r="${place}"${styled} t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

/** The serial number that Excel has for a day; `undefined` for a text that is not a day. */
function dayOf(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text < firstDay) return undefined;
  const time = Date.parse(text);
  const isDay = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
  return isDay ? (time - dayZero) / dayMs : undefined;
}

const marks: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Escapes control characters, which XML cannot have, as `_x0007_`. In a text that looks so, the first `_` is escaped. */
function escaped(text: string): string {
  return text
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(/[&<>]/g, (mark) => marks[mark] as string)
    .replaceAll(/[^\t\n\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, (mark) => {
      return `_x${(mark.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}_`;
    });
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const relations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packaged = 'http://schemas.openxmlformats.org/package/2006';
const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

const frozenHeader =
  '<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>';

const parts = {
  '[Content_Types].xml':
    `<Types xmlns="${packaged}/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${type}.sheet.main+xml"/>` +
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${type}.worksheet+xml"/>` +
    `<Override PartName="/xl/styles.xml" ContentType="${type}.styles+xml"/></Types>`,
  '_rels/.rels':
    `<Relationships xmlns="${packaged}/relationships">` +
    `<Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  'xl/workbook.xml':
    `<workbook xmlns="${main}" xmlns:r="${relations}">` +
    '<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>',
  'xl/_rels/workbook.xml.rels':
    `<Relationships xmlns="${packaged}/relationships">` +
    `<Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/>` +
    `<Relationship Id="rId2" Type="${relations}/styles" Target="styles.xml"/></Relationships>`,
  'xl/styles.xml':
    `<styleSheet xmlns="${main}"><numFmts count="1"><numFmt numFmtId="164" formatCode="yyyy\\-mm\\-dd"/></numFmts>` +
    '<fonts count="2"><font><sz val="11"/><name val="Calibri"/></font><font><b/><sz val="11"/><name val="Calibri"/></font></fonts>' +
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>' +
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>' +
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>' +
    '<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>' +
    '<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>' +
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs></styleSheet>',
};
