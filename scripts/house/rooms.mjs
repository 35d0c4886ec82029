// The one table of what each room of the house may import: docs/architecture.md, "The house". The rules in
// .oxlintrc.rooms.json are made of it by `npm run house`.

/**
 * @typedef {object} Room
 * @property {string[]} files globs
 * @property {string[]} imports what it may import of the packages, without `@mustard-sandbox/`
 * @property {string[]} [types] of which it may import types alone
 * @property {string[]} [not] what it may not import besides, as globs
 * @property {string} why for whoever breaks the rule
 */

const ground = ['protocol', 'paths'];

/** @type {Room[]} */
export const rooms = [
  {
    files: ['packages/protocol/src/**'],
    imports: [],
    why: 'The protocol is the ground floor: it imports none of the packages.',
  },
  { files: ['packages/paths/src/**'], imports: ['protocol'], why: 'The paths stand on the protocol alone.' },
  {
    files: ['packages/sandbox-daemon/src/**'],
    imports: [...ground, 'protocol/chart', 'protocol/sidecar'],
    why: 'The daemon stands on the protocol and the paths.',
  },
  {
    files: ['packages/sandbox-client/src/**'],
    imports: ground,
    why: 'The client stands on the protocol and the paths, and starts the daemon without importing it.',
  },
  {
    files: ['packages/agent-tool/src/**'],
    imports: [...ground, 'client'],
    why: 'The agent tool stands on the client and the ground floor.',
  },
  {
    files: ['packages/runs/src/**'],
    imports: [...ground, 'client', 'client/seal'],
    why: 'Runs stand on the client and the ground floor.',
  },
  {
    files: ['packages/code-mode/src/**'],
    imports: [...ground, 'client', 'client/isolation', 'agent-tool', 'agent-tool/host', 'runs'],
    why: 'Code mode stands on runs and the agent tool.',
  },
  {
    files: ['packages/mcp-server/src/**'],
    imports: [
      ...[...ground, 'client', 'agent-tool', 'agent-tool/host', 'runs', 'code-mode', 'remote/door'],
      ...['protocol/chart', 'charts/files'],
    ],
    why: 'The MCP server stands on code mode, the door of remote, the charts, the agent tool and what is below them.',
  },
  {
    files: ['packages/bash-tools/src/**'],
    imports: [...ground, 'client', 'client/isolation', 'agent-tool', 'agent-tool/host'],
    why: 'The bash tools stand on the agent tool and what is below it.',
  },
  {
    files: ['packages/remote/src/**'],
    imports: [...ground, 'client', 'client/peer', 'agent-tool', 'agent-tool/host'],
    why: 'Remote stands on the agent tool and what is below it.',
  },
  {
    files: ['packages/fleet/src/**'],
    imports: [...ground, 'client', 'client/peer', 'client/seal'],
    why: 'The fleet stands on the client and the ground floor.',
  },
  {
    files: ['packages/charts/src/**'],
    imports: ['protocol/chart', 'protocol/text'],
    not: ['node:*'],
    why: 'The charts are drawn in a browser, too: they import what needs no Node, and nothing of Node.',
  },
  {
    files: ['packages/charts/src/png/**'],
    imports: ['protocol', 'protocol/chart'],
    why: 'A PNG is made in Node: it imports the ground floor.',
  },
  {
    files: ['packages/cards/src/**'],
    imports: ['protocol/builtins', 'protocol/rows', 'protocol/text', 'charts'],
    types: ['agent-tool'],
    not: ['node:*'],
    why: 'The cards run in a browser: they import types of the agent tool, what needs no Node, and nothing of Node.',
  },
  {
    files: ['packages/desktop-agent/src/server/**'],
    imports: [
      ...[...ground, 'protocol/rows', 'protocol/text', 'client', 'client/isolation'],
      ...['agent-tool', 'agent-tool/host', 'agent-tool/ai-sdk', 'bash-tools', 'bash-tools/ai-sdk'],
      ...['runs', 'code-mode', 'code-mode/host'],
    ],
    not: ['**/page/**'],
    why: 'The server of the desktop agent imports what the packages export, and never the page.',
  },
  {
    files: ['packages/desktop-agent/src/shared/**'],
    imports: [],
    not: ['**/server/**', '**/page/**', 'node:*'],
    why: 'What is shared is part of the page too: nothing of Node, of the server or of the page.',
  },
  {
    files: ['packages/desktop-agent/src/page/**'],
    imports: ['cards', 'cards/styles.css'],
    not: ['**/server/**', 'node:*'],
    why: 'The page imports what is shared and the cards: what the server knows comes over the contract.',
  },
  {
    files: ['packages/cli/src/**'],
    imports: [
      ...['protocol', 'protocol/text', 'client', 'agent-tool', 'bash-tools', 'runs', 'code-mode'],
      'code-mode/host',
      'mcp-server',
      'mcp-server/gateway',
      'mcp-server/http',
      'remote',
      'remote/server',
      'charts/files',
      ...['fleet', 'fleet/worker'],
    ],
    why: 'The command imports what the packages export.',
  },
];

/** Which sources may load the addon: one file finds it, and a thread loads what that found. */
export const addon = {
  patterns: ['mustardscript', '@mustardscript/**'],
  files: ['packages/sandbox-daemon/src/engine/mustardscript/binding.ts'],
  why: 'Only packages/sandbox-daemon/src/engine loads the addon.',
};
