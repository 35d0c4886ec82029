// The chat, the composer, and proposals.
import type { ChatMode } from '../../shared/contract/index.ts';
import { counted } from './plural.ts';

const modes = {
  ask: ['Ask', 'Answers only. Files go into the message.'],
  agent: ['Agent', 'Runs scripts over your files, and asks before it writes.'],
  build: ['Build', 'Proposes changes to the app. You approve or reject them.'],
} as const satisfies Record<ChatMode, readonly [string, string]>;

export const chatTexts = {
  // The chat.
  messages: 'Messages',
  you: 'You',
  agent: 'Agent',
  jumpToLatest: 'Jump to latest',
  streaming: 'Answering…',
  answerEnded: 'The answer is complete',
  reasoning: 'Reasoning',
  reasoningNow: 'Reasoning…',
  copyCode: 'Copy code',
  copyMessage: 'Copy message',
  cancelled: (isEmpty: boolean) => `You stopped this answer.${isEmpty ? '' : ' What had arrived is kept.'}`,
  interrupted: 'The agent ended in the middle of this answer',
  interruptedWhy: 'What had arrived is kept. None of it was applied.',
  failed: 'The answer failed',
  failedUnknown: 'The model gave no reason.',
  chatGone: 'This chat cannot be shown',
  chatLoading: 'Loading the chat…',
  toolProposed: 'proposed',
  toolStates: { running: 'running', done: 'done', failed: 'failed', denied: 'not allowed', stopped: 'stopped' },
  rerunHeading: 'Run again by you. The model does not see this.',
  stopScript: 'Stop the script',
  retryReason: (why: string) =>
    why === '' ? 'This is about the script:' : `This is about the script that failed with “${why}”:`,
  committed: (hash: string) => `Committed as ${hash}`,
  tooLongForMarkdown: 'Shown as plain text, because it is very long.',
  moreCharacters: (count: number) => `Show ${counted(count, 'more character')}`,

  // The composer.
  composer: 'Message',
  placeholder: { ask: 'Ask a question', agent: 'Say what to find out or do', build: 'Say what to build or change' },
  mode: 'Mode',
  modes,
  model: 'Model',
  modelDefault: (label: string) => `Default (${label})`,
  modelAuto: (label: string) => `Automatic (${label})`,
  modelNone: 'Automatic',
  modelGone: (id: string) => `${id} (not reachable)`,
  attach: 'Attach files',
  send: 'Send',
  stop: 'Stop',
  dropHere: 'Drop files to attach them',
  pastedName: 'pasted',
  whyNotSend: {
    sending: 'The message is on its way.',
    answering: 'An answer is under way. Wait for it, or stop it.',
    empty: 'Write a message or attach a file first.',
    storing: 'Files are still being stored.',
    failed: 'Remove the file that could not be stored, or attach it again.',
    offline: 'The agent cannot be reached.',
    tooLong: (count: number) => `The message is ${counted(count, 'character')} too long. Attach it as a file instead.`,
  },
  hint: 'Enter sends, Shift+Enter begins a new line',

  // Proposals.
  commandNames: { rebuild: 'rebuild', restart: 'restart', refresh: 'refresh' } as Record<string, string>,
  proposalStates: {
    pending: 'Proposed changes',
    applying: 'Applying the changes…',
    approved: 'Applied',
    rejected: 'Rejected. Nothing was changed.',
    failed: 'Not applied',
  },
  proposalUndone: 'Applied, then undone',
  proposalGone: 'Applied, but no longer in the app',
  approve: 'Approve',
  reject: 'Reject',
  review: 'Review changes',
  files: (count: number) => counted(count, 'file'),
  problems: (count: number) => counted(count, 'problem'),
  problemsUnknown: (why = '') => `Not checked for problems${why === '' ? '' : `. ${why}`}`,
  problemsNone: 'No problems found',
  adds: (names: string) => `Adds ${names}`,
  runs: (count: number) =>
    `${counted(count, 'file')} to check closely: they run by themselves or tell a model what to do`,
  offers: (names: string) => `Suggested afterwards: ${names}. The agent does not run it; that is for you to do.`,
  proposalEmpty: 'No proposal to review',
  proposalEmptyHint: 'When an answer in Build mode proposes changes, they appear here as a diff.',
  noGitApprove: 'This folder has no git: begin a history first.',
  beginHistory: 'Begin a history',
} as const;
