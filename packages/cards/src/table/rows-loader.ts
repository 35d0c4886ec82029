import type { RowsRequest } from '@mustard-sandbox/protocol/rows';

/**
 * Asks the host for a page of a stored table: `{ rows, total }`, where `rows` are objects, at most `request.limit` of them,
 * and `total` is how many rows are like what the request asks for.
 *
 * @param columns those that are known, for a search in all of them
 */
export type RowsLoader = (name: string, request: RowsRequest, columns: readonly string[]) => Promise<unknown>;
