import { strToU8, zipSync } from 'fflate';

/** The time of each file in an archive: the same data always give the same bytes. */
const madeAt = new Date(2026, 6, 1);

/** A ZIP with these files, by their names. */
export function zipOf(files) {
  const bytes = Object.entries(files).map(([name, content]) => [
    name,
    typeof content === 'string' ? strToU8(content) : content,
  ]);
  return zipSync(Object.fromEntries(bytes), { mtime: madeAt });
}

const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
const columnOf = (at) => String.fromCharCode(65 + at);

/** The number by which Excel stores a day, such as '2026-03-14'. */
const serialOf = (day) => Date.parse(`${day}T00:00:00Z`) / 86_400_000 + 25_569;

/** A cell is a number, a text, null, `{ day }`, `{ error }`, or `{ formula, value }`. */
function cellOf(cell, place) {
  if (cell === null) return '';
  if (typeof cell === 'number') return `<c r="${place}"><v>${cell}</v></c>`;
  if (typeof cell === 'string') {
    return `<c r="${place}" t="inlineStr"><is><t xml:space="preserve">${escape(cell)}</t></is></c>`;
  }
  if ('day' in cell) return `<c r="${place}" s="1"><v>${serialOf(cell.day)}</v></c>`;
  if ('error' in cell) return `<c r="${place}" t="e"><v>${cell.error}</v></c>`;
  return `<c r="${place}"><f>${escape(cell.formula)}</f><v>${cell.value}</v></c>`;
}

/** @param {Sheet} sheet */
function sheetOf({ rows, merged = [] }) {
  const lines = rows.map((row, at) => {
    const cells = row.map((cell, column) => cellOf(cell, `${columnOf(column)}${at + 1}`));
    return `<row r="${at + 1}">${cells.join('')}</row>`;
  });
  const ranges = merged.map((range) => `<mergeCell ref="${range}"/>`).join('');
  const merges = merged.length === 0 ? '' : `<mergeCells count="${merged.length}">${ranges}</mergeCells>`;
  return `${head}<worksheet xmlns="${main}"><sheetData>${lines.join('')}</sheetData>${merges}</worksheet>`;
}

const head = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packages = 'http://schemas.openxmlformats.org/package/2006';
const kind = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Format 14 is that of days. */
const styles = `${head}<styleSheet xmlns="${main}"><fonts count="1"><font/></fonts><fills count="1"><fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="2"><xf/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`;

/**
 * A workbook of Excel.
 *
 * @param {Record<string, Sheet>} sheets by name
 * @typedef {{ rows: any[][], merged?: string[] }} Sheet
 */
export function workbookOf(sheets) {
  const names = Object.keys(sheets);
  const relation = (id, type, target) => `<Relationship Id="${id}" Type="${office}/${type}" Target="${target}"/>`;
  const relations = (list) =>
    `${head}<Relationships xmlns="${packages}/relationships">${list.join('')}</Relationships>`;
  const part = (name, type) => `<Override PartName="/xl/${name}.xml" ContentType="${kind}.${type}+xml"/>`;
  const listed = names.map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`);
  return zipOf({
    '[Content_Types].xml': `${head}<Types xmlns="${packages}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>${part('workbook', 'sheet.main')}${part('styles', 'styles')}${names.map((_, at) => part(`worksheets/sheet${at + 1}`, 'worksheet')).join('')}</Types>`,
    '_rels/.rels': relations([relation('rId1', 'officeDocument', 'xl/workbook.xml')]),
    'xl/workbook.xml': `${head}<workbook xmlns="${main}" xmlns:r="${office}"><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations([
      ...names.map((_, at) => relation(`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`)),
      relation('rId0', 'styles', 'styles.xml'),
    ]),
    'xl/styles.xml': styles,
    ...Object.fromEntries(
      Object.values(sheets).map((sheet, at) => [`xl/worksheets/sheet${at + 1}.xml`, sheetOf(sheet)]),
    ),
  });
}
