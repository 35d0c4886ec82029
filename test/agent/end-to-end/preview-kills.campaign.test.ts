// The agent is killed while dev servers run: none of their processes is left, whatever they did to stay.
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { AgentProcess, projectWith, scratchFolder, useStage } from './stage.ts';
import { command, isAlive, manifest, pidsIn } from '../preview/support.ts';

const rounds = Number(process.env['PREVIEW_KILLS'] ?? 4);
const modes = process.platform === 'linux' ? ['plain', 'never', 'endless', 'forks'] : ['plain', 'never', 'endless'];

// The browser is of the stage that starts the program; no page is opened.
describe.skipIf(!hasChromium || process.platform === 'win32')('the agent is killed while apps run', () => {
  const stage = useStage();

  test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
    'by %s, at any moment: no process of theirs is left',
    async (signal) => {
      for (let round = 0; round < rounds; round++) {
        const agent = await AgentProcess.start(stage);
        agent.wire.onQuestion = () => 'allow-once';
        const notes = await Promise.all(
          modes.map(async (mode) => {
            const note = join(scratchFolder(), 'pids');
            const dev = command(mode, note);
            // What stays behind in the same group, too.
            const project = projectWith({
              'package.json': manifest({ dev: `sleep 1000 & echo $! >>'${note}'; ${dev}` }),
            });
            const { id: appId } = await agent.wire.ask('add-app', { path: project });
            void agent.wire.ask('start-preview', { appId, script: 'dev' }).catch(() => {});
            return note;
          }),
        );
        // Later in each round: just begun, starting, running.
        const isThere = (note: string): boolean => pidsIn(note).length > 0;
        await vi.waitUntil(() => (round === 0 ? notes.some(isThere) : notes.every(isThere)), { timeout: 60_000 });
        await agent.kill(signal);
        const left = (): number[] => notes.flatMap(pidsIn).filter(isAlive);
        await vi.waitUntil(() => left().length === 0, { timeout: 60_000, interval: 100 });
        expect(left()).toEqual([]);
      }
    },
    240_000,
  );
});
