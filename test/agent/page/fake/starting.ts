// What the server says of new, copied and deleted apps, of files by hand, and of what a search finds.
import type { DeletedApp, Params, Result } from '../../../../packages/desktop-agent/src/shared/contract/index.ts';
import { app, versions } from './data.ts';

const deleted: DeletedApp = {
  id: 'app-7',
  name: 'old shop',
  from: '/home/mira/old shop',
  path: '/home/mira/.local/share/mustard-agent/deleted/app-7/old shop',
  deletedAt: '2026-03-02T10:15:00.000Z',
};

export const startingAnswers = {
  'create-app': ({ name, parent }: Params<'create-app'>) => ({ ...app, id: 'app-8', name, path: `${parent}/${name}` }),
  'copy-app': ({ name }: Params<'copy-app'>) => ({ ...app, id: 'app-8', name, path: `/home/mira/${name}` }),
  'rename-app': ({ name }: Params<'rename-app'>) => ({ ...app, name }),
  'delete-app': () => deleted,
  'list-deleted-apps': () => [deleted],
  'restore-app': () => app,
  'read-packages': () => ({ manager: 'npm', names: [], installed: true, hosts: [], refused: null }),
  'change-app-file': () => ({ commit: 'd'.repeat(40) }),
  'undo-version': () => versions[0],
  'search-files': ({ text }: Params<'search-files'>): Result<'search-files'> => ({
    matches: Array.from({ length: 12 }, (_, index) => {
      const line = `  const total = orders.reduce((sum, { ${text} }) => sum + 1, ${index});`;
      const start = line.indexOf(text);
      return { path: `src/orders/part-${index}.ts`, line: 10 + index, text: line, start, end: start + text.length };
    }),
    cut: 'matches',
    skipped: 2,
  }),
  'search-chats': ({ text }: Params<'search-chats'>): Result<'search-chats'> => ({
    matches: [
      {
        chatId: 'build',
        title: 'The total of an order',
        messageId: 'm',
        text: `Where does ${text} come from?`,
        start: 11,
        end: 11 + text.length,
        at: '2026-03-02T10:15:00.000Z',
      },
    ],
    cut: null,
  }),
};
