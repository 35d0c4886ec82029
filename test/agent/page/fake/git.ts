// What the server says of branches and remotes.
import type {
  App,
  Comparison,
  CopyComparison,
  GitState,
} from '../../../../packages/desktop-agent/src/shared/contract/index.ts';
import { app } from './data.ts';

const url = 'https://git.example.org/mira/shop.git';
const commit = (digit: string): string => digit.repeat(40);

const git: GitState = {
  root: '/home/mira/shop',
  branch: 'main',
  commit: commit('1'),
  branches: [
    { name: 'mustard/errors-of-monday', commit: commit('b'), merged: false },
    { name: 'old-totals', commit: commit('c'), merged: true },
  ],
  more: 0,
  remotes: [{ name: 'origin', url, pushUrl: url, refused: null }],
  upstream: { remote: 'origin', branch: 'main', isSet: true },
  noRemotes: null,
  gh: true,
};

const comparison: Comparison = {
  ours: commit('1'),
  theirs: commit('2'),
  outgoing: {
    count: 2,
    shown: [
      { commit: commit('1'), subject: '[agent] Count each item once', author: 'Mira' },
      { commit: commit('a'), subject: 'Changes made by hand - 1 file(s)', author: 'Mira' },
    ],
  },
  incoming: { count: 0, shown: [] },
  rewritten: 0,
};

export const copy: App = {
  ...app,
  id: 'app-3',
  name: 'shop · mustard/errors-of-monday',
  path: '/home/mira/.local/share/mustard-agent/copies/1b2c/shop',
  copyOf: 'app-1',
};

const copyComparison: CopyComparison = {
  branch: 'mustard/errors-of-monday',
  into: 'main',
  ours: commit('1'),
  theirs: commit('2'),
  incoming: comparison.outgoing,
  uncommitted: 0,
};

export const gitAnswers = {
  'read-git': () => git,
  'draft-pull-request': () => ({
    title: 'Errors of Monday',
    body: '- Count each item once',
    bases: ['main', 'release'],
    base: 'main',
    repository: 'git.example.org/mira/shop',
  }),
  'create-pull-request': () => ({ url: 'https://git.example.org/mira/shop/pull/7' }),
  'create-chat-branch': () => ({ name: 'mustard/errors-of-monday-2' }),
  'compare-with-remote': () => comparison,
  'work-in-copy': () => copy,
  'compare-copy': () => copyComparison,
  'bring-in-copy': () => ({ outcome: 'joined', commit: commit('2'), before: commit('1'), merged: false, files: 2 }),
};
