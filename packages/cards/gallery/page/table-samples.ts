import type { RowsRequest } from '@mustard-sandbox/protocol/rows';
import type { Run } from '../../src/index.ts';
import { rowsOf } from '../../src/table/rows.ts';
import { result } from './samples.ts';

const rowAt = (index: number) => ({
  id: index + 1,
  region: ['north', 'south', 'east', 'west'][index % 4] as string,
  revenue: (index * 7_919) % 100_003,
  note: index % 7 === 0 ? null : `order ${index}, "quoted"`,
});

/** What the host of each sample answers: one that is honest, and others. */
const hosts: Record<string, (request: RowsRequest) => unknown> = {
  'sales.csv': ({ offset, limit, ...asked }) => {
    const isFiltered = Object.values(asked.filters ?? {}).some((filter) => filter !== '');
    if (!asked.search && !isFiltered && !asked.sorting) {
      const length = Math.max(0, Math.min(limit, 1_000_000 - offset));
      return { rows: Array.from({ length }, (_, index) => rowAt(offset + index)), total: 1_000_000 };
    }
    const some = Array.from({ length: 10_000 }, (_, index) => rowAt(index));
    const found = rowsOf({ kind: 'table', columns: Object.keys(rowAt(0)), rows: some }, asked);
    return { rows: found.slice(offset, offset + limit), total: found.length };
  },
  'empty.csv': () => ({ rows: [], total: 0 }),
  'too-much.csv': () => ({ rows: Array.from({ length: 100_000 }, (_, index) => rowAt(index)), total: -5 }),
  'no-rows.csv': () => ({ rows: ['<img src=x onerror=globalThis.pwned=true>', 5], total: 2 }),
  'nothing.csv': () => undefined,
  'hostile.csv': () =>
    JSON.parse(
      '{"rows":[{"__proto__":"<img src=x onerror=globalThis.pwned=true>","\\u202etxt":"\\u202e<script>globalThis.pwned=true</script>"}],"total":1e300}',
    ),
};

export async function loadRows(name: string, request: RowsRequest): Promise<unknown> {
  const host = hosts[name];
  if (host === undefined) throw new Error('The file is not there any more.');
  return host(request);
}

const kept = (...names: string[]): Run => {
  const outputs = names.map((name) => ({ name, size: 48_210_003, head: '' }));
  return result('{"rows":1000000}', {}, { description: 'A table', outputs });
};

export const tables: Record<string, Run> = {
  'stored table': kept('sales.csv'),
  'stored tables of hosts that err': kept(
    ...['empty.csv', 'too-much.csv', 'no-rows.csv', 'nothing.csv', 'hostile.csv', 'gone.csv'],
  ),
};
