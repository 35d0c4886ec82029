import { deflateSync, gzipSync } from 'node:zlib';
import { byKey, countBy, rank, sum, sumBy, top } from './answers.mjs';

/** A HAR as browsers save it. */
export const har = {
  files: ['session.har'],
  make(random, scale) {
    const entries = Array.from({ length: 4000 * scale }, (_, at) => ({
      startedDateTime: new Date(Date.UTC(2026, 4, 1) + at * 500).toISOString(),
      time: random.int(3000),
      request: {
        method: random.skewed(['GET', 'POST']),
        url: `https://${random.of(['app', 'cdn', 'api'])}.example.org/${random.int(60)}`,
        headers: [{ name: 'accept', value: '*/*' }],
      },
      response: {
        status: random.skewed([200, 200, 204, 404, 500]),
        content: {
          size: random.int(200_000),
          mimeType: random.of(['text/html', 'application/json', 'image/png']),
          text: 'y'.repeat(random.int(300)),
        },
      },
      timings: { wait: random.int(500), receive: random.int(100) },
    }));
    return {
      files: {
        'session.har': JSON.stringify(
          { log: { version: '1.2', creator: { name: 'test', version: '1' }, entries } },
          null,
          1,
        ),
      },
      model: entries,
    };
  },
  questions: {
    'har-entries': ['How many requests are recorded in session.har?', 'a number', (all) => all.length],
    'har-hosts': [
      'How many requests went to each host in session.har?',
      'an object from host to count',
      (all) => byKey(countBy(all, ({ request }) => new URL(request.url).host)),
    ],
    'har-slow': [
      'How many requests in session.har took longer than 2500 ms (time)?',
      'a number',
      (all) => all.filter(({ time }) => time > 2500).length,
    ],
    'har-size': [
      'What is the sum of response.content.size by mimeType in session.har?',
      'an object from mimeType to sum',
      (all) =>
        byKey(
          sumBy(
            all,
            ({ response }) => response.content.mimeType,
            ({ response }) => response.content.size,
          ),
        ),
    ],
    'har-wait': [
      'What is the 99th percentile of timings.wait in session.har, by nearest rank: sort the n values and take number ceil(0.99 * n), counting from 1?',
      'a number',
      (all) =>
        rank(
          all.map(({ timings }) => timings.wait),
          0.99,
        ),
    ],
    'har-failed': [
      'Which url got the most answers with a status of 400 or more in session.har?',
      'an array [url, count]; of equals the url that sorts first',
      (all) =>
        top(
          countBy(
            all.filter(({ response }) => response.status >= 400),
            ({ request }) => request.url,
          ),
          1,
        )[0],
    ],
  },
};

/** Records of a fixed length. */
export const records = {
  files: ['records.bin'],
  make(random, scale) {
    const rows = Array.from({ length: Math.ceil(1500 * scale) }, (_, id) => ({
      id,
      kind: random.int(5),
      value: random.int(100_000) - 50_000,
    }));
    const bytes = Buffer.alloc(8 + 8 * rows.length);
    bytes.write('RECS', 0, 'latin1');
    bytes.writeUInt32LE(rows.length, 4);
    for (const [at, { id, kind, value }] of rows.entries()) {
      bytes.writeUInt16LE(id, 8 + 8 * at);
      bytes.writeUInt16LE(kind, 10 + 8 * at);
      bytes.writeInt32LE(value, 12 + 8 * at);
    }
    return { files: { 'records.bin': bytes }, model: rows };
  },
  questions: {
    'records-count': [
      'records.bin begins with the four letters RECS and then the number of records as an unsigned 32-bit integer, little endian. How many records is that?',
      'a number',
      (all) => all.length,
    ],
    'records-kinds': [
      'After 8 bytes of header records.bin has records of 8 bytes, little endian: id (unsigned 16 bits), kind (unsigned 16 bits), value (signed 32 bits). How many records of each kind are there?',
      'an object from kind to count',
      (all) => byKey(countBy(all, ({ kind }) => String(kind))),
    ],
    'records-sum': [
      'After 8 bytes of header records.bin has records of 8 bytes, little endian: id (unsigned 16 bits), kind (unsigned 16 bits), value (signed 32 bits). What is the sum of value over the records of kind 2?',
      'a number',
      (all) => sum(all.filter(({ kind }) => kind === 2).map(({ value }) => value)),
    ],
  },
};

/** A compressed CSV and a compressed log. */
export const packed = {
  files: ['requests.csv.gz', 'old.log.gz'],
  make(random, scale) {
    const rows = Array.from({ length: 60_000 * scale }, () => ({
      region: random.skewed(['eu', 'us', 'ap']),
      ms: random.int(60) ** 2 + random.int(9),
      ok: random.chance(0.97),
    }));
    const csv = `region,ms,ok\n${rows.map(({ region, ms, ok }) => `${region},${ms},${ok}`).join('\n')}\n`;
    const lines = rows
      .slice(0, rows.length / 2)
      .map(({ region, ms, ok }, at) => `${at} ${ok ? 'INFO' : 'ERROR'} ${region} took ${ms}`);
    return {
      files: { 'requests.csv.gz': gzipSync(csv), 'old.log.gz': gzipSync(`${lines.join('\n')}\n`) },
      model: { rows, half: rows.slice(0, rows.length / 2) },
    };
  },
  questions: {
    'packed-rows': [
      'How many rows of data does the CSV in requests.csv.gz have?',
      'a number',
      ({ rows }) => rows.length,
    ],
    'packed-p95': [
      'What is the 95th percentile of ms of each region in requests.csv.gz, by nearest rank: sort the n values and take number ceil(0.95 * n), counting from 1?',
      'an object from region to number',
      ({ rows }) =>
        Object.fromEntries(
          ['ap', 'eu', 'us'].map((region) => [
            region,
            rank(
              rows.filter((row) => row.region === region).map(({ ms }) => ms),
              0.95,
            ),
          ]),
        ),
    ],
    'packed-failed': [
      'How many requests of each region failed (ok is false) in requests.csv.gz?',
      'an object from region to count',
      ({ rows }) =>
        byKey(
          countBy(
            rows.filter(({ ok }) => !ok),
            ({ region }) => region,
          ),
        ),
    ],
    'packed-errors': [
      'How many lines of old.log.gz have ERROR?',
      'a number',
      ({ half }) => half.filter(({ ok }) => !ok).length,
    ],
    'packed-slowest': [
      'What is the highest "took" in old.log.gz, and how many lines have it?',
      'an array [took, lines]',
      ({ half }) => {
        const most = Math.max(...half.map(({ ms }) => ms));
        return [most, half.filter(({ ms }) => ms === most).length];
      },
    ],
  },
};

/** A report of some pages, compressed as PDF programs do. */
export const report = {
  files: ['report.pdf'],
  make(random, scale) {
    const pages = Array.from({ length: Math.max(3, Math.ceil(12 * scale)) }, (_, at) => ({
      title: `Chapter ${at + 1}`,
      lines: Array.from(
        { length: 3 + random.int(5) },
        () => `Invoice INV-${1000 + random.int(9000)} total ${random.int(900)} EUR`,
      ),
    }));
    return { files: { 'report.pdf': pdf(pages.map(({ title, lines }) => [title, ...lines])) }, model: pages };
  },
  questions: {
    'pdf-pages': ['How many pages does report.pdf have?', 'a number', (all) => all.length],
    'pdf-invoices': [
      'How many invoices (INV-…) are named in report.pdf?',
      'a number',
      (all) => sum(all.map(({ lines }) => lines.length)),
    ],
    'pdf-total': [
      'What is the sum of the totals in EUR of all invoices in report.pdf?',
      'a number',
      (all) => sum(all.flatMap(({ lines }) => lines.map((line) => Number(line.split(' ')[3])))),
    ],
  },
};

/** @param {string[][]} pages the lines of each */
function pdf(pages) {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages.length} /Kids [${pages.map((_, at) => `${4 + 2 * at} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ].map((text) => Buffer.from(text));
  for (const [at, lines] of pages.entries()) {
    const text = `BT /F1 12 Tf 14 TL 50 780 Td ${lines.map((line) => `(${line}) Tj T*`).join(' ')} ET`;
    const packed = deflateSync(text);
    objects.push(
      Buffer.from(
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * at} 0 R >>`,
      ),
    );
    objects.push(
      Buffer.concat([
        Buffer.from(`<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n`),
        packed,
        Buffer.from('\nendstream'),
      ]),
    );
  }
  const parts = [Buffer.from('%PDF-1.4\n')];
  const offsets = objects.map((object, at) => {
    const offset = parts.reduce((total, part) => total + part.length, 0);
    parts.push(Buffer.concat([Buffer.from(`${at + 1} 0 obj\n`), object, Buffer.from('\nendobj\n')]));
    return offset;
  });
  const start = parts.reduce((total, part) => total + part.length, 0);
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
