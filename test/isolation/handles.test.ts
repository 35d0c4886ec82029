import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { pidOf, sandbox } from '../client/support.ts';
import { noJail } from './support.ts';

const isolations = noJail === undefined ? (['process', 'jail'] as const) : (['process'] as const);

/** What a sidecar holds beyond its stdio, without what Node makes for itself. */
function handlesOf(pid: number): string[] {
  const held = readdirSync(`/proc/${pid}/fd`).filter((fd) => Number(fd) > 2);
  const links = held.map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  // Node's pipes have both their ends in it; an inherited one has not.
  const isOwnPipe = (link: string): boolean =>
    link.startsWith('pipe:') && links.filter((other) => other === link).length === 2;
  return links.filter(
    (link) => !isOwnPipe(link) && !/^anon_inode:\[(eventfd|eventpoll|io_uring)\]$|^\/dev\/null$/.test(link),
  );
}

it.skipIf(process.platform !== 'linux').each(isolations)(
  'a sidecar holds no handle of its host, isolation %s',
  async (isolation) => {
    const file = openSync('/etc/passwd', 'r');
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const box = sandbox({ isolation, roots: [], spares: 0 });
    await box.run({ script: '1' });
    const pid = pidOf(box);
    // What it opens for a moment after a run, to measure its memory, may still be there.
    await expect.poll(() => handlesOf(pid)).toEqual([]);
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const limits = readFileSync(`/proc/${pid}/limits`, 'utf8');
    expect(status).toMatch(/^Umask:\s+0077$/m);
    expect(limits).toMatch(/^Max core file size\s+0\s+0 /m);
    expect(readlinkSync(`/proc/${pid}/cwd`)).toMatch(/sandbox-daemon\/dist$/);
    closeSync(file);
    server.close();
  },
);

it.skipIf(process.platform !== 'linux').each(isolations)(
  'nor one that the host was started with, isolation %s',
  async (isolation) => {
    const host = `
    import { createSandbox } from '@mustard-sandbox/client';
    import { readdirSync, readlinkSync } from 'node:fs';
    const box = createSandbox({ isolation: '${isolation}', roots: [], spares: 0 });
    await box.run({ script: '1' });
    const [{ pid }] = box.stats().processes;
    const links = (of) => readdirSync('/proc/' + of + '/fd').flatMap((fd) => {
      try { return readlinkSync('/proc/' + of + '/fd/' + fd); } catch { return []; }
    });
    console.log(JSON.stringify({ host: links('self'), sidecar: links(pid) }));
    await box.close();
  `;
    // bash can number handles as it likes, and leaves them open for what it starts.
    const open = 'exec 9</etc/hosts 200</etc/passwd; exec "$@"';
    const args = ['-c', open, 'bash', process.execPath, '--input-type=module', '-e', host];
    const { stdout } = await execa('bash', args);
    const links = JSON.parse(stdout) as { host: string[]; sidecar: string[] };
    expect(links.host).toEqual(expect.arrayContaining(['/etc/hosts', '/etc/passwd']));
    expect(links.sidecar.filter((link) => link.startsWith('/etc/'))).toEqual([]);
  },
);
