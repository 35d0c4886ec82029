// What git says when it fails, as what happened and what to do.
import { AgentError, type AgentErrorCode } from '../../../shared/contract/index.ts';
import { withoutCredentials } from './addresses.ts';

type Row = readonly [pattern: RegExp, code: AgentErrorCode, text: string];

/** The first that fits. git speaks English here, because `LC_ALL` is set. */
const rows: readonly Row[] = [
  [
    /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|error: 40[13]\b/i,
    'denied',
    'The server wants to know who you are, and git has no answer that it accepts. Let a credential helper of git know your password or token, for example by signing in once with `git push` in a terminal. The agent itself never asks for one.',
  ],
  [
    /Permission denied \(|Too many authentication failures/i,
    'denied',
    'The server accepts none of your SSH keys. Start ssh-agent and add the key by `ssh-add`, or look whether the server knows it. The agent itself never asks for a passphrase.',
  ],
  [
    /Host key verification failed/i,
    'denied',
    'ssh does not know this server yet, or it has another key than before. Connect to it once in a terminal, and compare the key.',
  ],
  [
    /Could not resolve|Network is unreachable|Connection refused|Connection (?:was )?reset|timed out|Failed to connect|Couldn't connect|No route to host/i,
    'not_found',
    'The server cannot be reached. Look at the address and at your network, and try again.',
  ],
  [
    /returned error: 30\d|redirect/i,
    'denied',
    'The server sends git to another address, which is not followed, because you have not agreed to it. Change the address of the remote to that one, by `git remote set-url`.',
  ],
  [
    /not found|does not appear to be a git repository|returned error: 404|No such file or directory/i,
    'not_found',
    'There is no repository at this address, or you may not see it.',
  ],
  [
    /detected dubious ownership/i,
    'denied',
    'The folder of the remote belongs to another user, so git does not use it.',
  ],
  [
    /fsck|index-pack failed|unpack-objects failed|did not send all necessary objects|bad object|invalid index-pack|not our ref|protocol error|bad line length|remote end hung up|early EOF|expected .* packet|bad pack/i,
    'denied',
    'The server ended the connection, or sent what git does not take.',
  ],
];

/** @param shown the address, without credentials */
export function failureOf(what: string, shown: string, stderr: string): AgentError {
  const said = readable(stderr);
  const [, code, text] = rows.find(([pattern]) => pattern.test(said)) ?? [undefined, 'internal' as const, ''];
  const parts = [`${what} ${shown} failed.`, text, 'Nothing was changed.', said === '' ? '' : `git said: ${said}`];
  return new AgentError(code, parts.filter((part) => part !== '').join(' '));
}

/** The last lines, without credentials, progress and what does not print. */
export function readable(stderr: string): string {
  const lines = withoutCredentials(stderr)
    .split(/[\r\n]+/)
    .map((line) => line.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}](?:\[[\d;]*[A-Za-z])?/gu, '').trim())
    .filter((line) => line !== '' && !/^(?:remote: )?[A-Z][a-z]+ [a-z]+: +\d+/.test(line));
  const end = lines.slice(-6).join(' ');
  return end.length > 600 ? end.slice(-600) : end;
}
