import { expect, test } from 'vitest';
import type { Message } from '../../../packages/desktop-agent/src/shared/contract/index.ts';
import type { Plan } from '../../../packages/desktop-agent/src/server/changes/index.ts';
import { LiveMessage } from '../../../packages/desktop-agent/src/server/turns/live-message.ts';
import type { MessageChange } from '../../../packages/desktop-agent/src/server/turns/ports.ts';

const message: Message = {
  id: 'm',
  chatId: 'c',
  role: 'assistant',
  parts: [],
  attachments: [],
  state: 'streaming',
  error: null,
  proposal: null,
  workPlan: null,
  commit: null,
  usage: null,
  createdAt: '2026-01-01T00:00:00.000Z',
};
const proposal = { state: 'pending', summary: '', files: [], dependencies: [], commands: [], problems: null } as const;
const plan: Plan = {
  summary: 'Do it',
  effects: [],
  dependencies: [],
  commands: [],
  counts: { wrote: 0, renamed: 0, deleted: 0 },
  base: {},
};

test('a plan and an end that could not be saved are saved when writes succeed again, and the plan once', async () => {
  const rows: MessageChange[] = [];
  let failures = 3;
  const errors: unknown[] = [];
  const live = new LiveMessage({
    message,
    chats: {
      updateMessage: async (_, change) => {
        if (failures-- > 0) throw new Error('the disk is full');
        rows.push(change);
      },
    },
    broadcast: () => {},
    onSaveError: (error) => errors.push(error),
  });
  live.append('text', 'Here it is.');
  live.setProposal({ ...proposal, files: [], dependencies: [], commands: [] }, plan);
  await live.finish('complete');
  await expect.poll(() => rows, { timeout: 60_000 }).toHaveLength(1);
  expect(errors).toHaveLength(3);
  expect(rows[0]).toMatchObject({ state: 'complete', plan, proposal: { state: 'pending' } });
  live.set(1, { type: 'text', text: 'later' });
  await live.saved();
  expect(rows[1]?.parts).toHaveLength(2);
  expect(rows[1]).not.toHaveProperty('plan');
});
