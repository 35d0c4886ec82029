// The library has no types of its own.
declare module 'sql.js' {
  export type SqlValue = number | string | Uint8Array | bigint | null;

  export interface Statement {
    step(): boolean;
    get(params: null, config: { useBigInt: true }): SqlValue[];
    free(): void;
  }

  export class Database {
    constructor(data: Uint8Array);
    exec(sql: string): { columns: string[]; values: SqlValue[][] }[];
    prepare(sql: string): Statement;
    close(): void;
  }

  export interface SqlJsStatic {
    Database: typeof Database;
  }

  const start: () => Promise<SqlJsStatic>;
  export default start;
}
