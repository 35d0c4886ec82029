import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readServers } from '../../packages/cli/src/gateway/servers.ts';
import { serversFile } from '../cli/gateway.ts';
import { connect, makeFolder } from '../mcp/support.ts';

const page = readFileSync(new URL('../../docs/gateway.md', import.meta.url), 'utf8');
const [servers = '', client = ''] = [...page.matchAll(/```json\n([^]*?)```/g)].map(([, block]) => block);

describe('docs/gateway.md', () => {
  it('has a servers.json that is taken', async () => {
    const file = join(makeFolder(), 'servers.json');
    writeFileSync(file, servers);
    const { mcp, policy, ignored } = await readServers(file, { GITHUB_TOKEN: 'x' });
    expect(mcp).toMatchObject({
      github: { env: { GITHUB_TOKEN: 'x' } },
      wiki: { headers: { Authorization: 'Bearer none' } },
    });
    expect(policy).toHaveLength(2);
    expect(ignored).toEqual([]);
    // Code mode checks the rules and budgets.
    const rules = JSON.parse(servers) as { policy: object; budgets: object };
    const { client } = await connect(['--connect', serversFile({ policy: rules.policy, budgets: rules.budgets })]);
    expect((await client.listTools()).tools).toHaveLength(2);
  });

  it('has a configuration for a client that starts the gateway', async () => {
    const { mcpServers } = JSON.parse(client) as { mcpServers: Record<string, { args: string[] }> };
    const [, command, ...args] = mcpServers['tools']?.args ?? [];
    expect(command).toBe('mcp');
    const file = serversFile();
    const { client: connected } = await connect(args.map((arg) => arg.replace('/path/to/servers.json', file)));
    const { structuredContent } = await connected.callTool({
      name: 'run_script',
      arguments: { script: `(await tracker.search_issues({ query: 'cup' })).issues.length` },
    });
    expect(structuredContent).toMatchObject({ value: 2 });
  });
});
