export { serveMcpHttp, type McpHttpServer } from './serve.ts';
export type { ServeMcpHttpOptions } from './options.ts';
