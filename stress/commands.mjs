import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

export class UsageError extends Error {}

const count = (value, help) => ({ type: 'number', value, help, placeholder: 'N' });
const isolation = {
  type: 'string',
  value: 'process',
  help: 'how the sidecars are confined: process or jail',
  placeholder: 'HOW',
};
const noSpeed = { type: 'boolean', help: 'do not fail for a wanted time or growth, for slow shared machines' };

/** What can be run, with its options and their defaults. Every command has `--isolation` and `--no-speed` as well. */
export const commands = {
  hostile: {
    summary: 'every script of the corpus is contained by both engines, one after another and eight at a time',
    options: {
      corpus: {
        type: 'string',
        value: fileURLToPath(new URL('hostile-corpus.json', import.meta.url)),
        help: 'scripts as [{ id, script, expect, why }]',
        placeholder: 'FILE',
      },
      timeout: { type: 'number', value: 2_000, help: 'deadline of each script', placeholder: 'MS' },
      'only-crowded': { type: 'boolean', help: 'leave out the passes of one script after another' },
    },
    load: () => import('./hostile.mjs'),
  },
  chaos: {
    summary: 'concurrent calls under random SIGKILL, SIGSTOP and aborts: none lost, none twice, nothing left',
    options: { runs: count(10_000, 'calls to make') },
    load: () => import('./chaos.mjs'),
  },
  orphans: {
    summary: 'a host killed with SIGKILL leaves no sidecar two seconds later',
    options: { times: count(50, 'hosts to kill') },
    load: () => import('./orphans.mjs'),
  },
  bash: {
    summary: 'hosts of bash tools killed at any moment leave nothing running and no workspace torn',
    options: { times: count(100, 'hosts to kill') },
    load: () => import('./bash.mjs'),
  },
  agent: {
    summary:
      'what changes files in the desktop agent, killed at any moment: the files are old or new, and git is clean',
    options: { times: count(500, 'writers to kill') },
    load: () => import('./agent.mjs'),
  },
  'agent-kills': {
    summary: 'the whole desktop agent, killed at any moment of an answer and its approval: nothing is torn or lost',
    options: { times: count(500, 'kills of the program') },
    load: () => import('./agent-kills.mjs'),
  },
  'agent-memory': {
    summary: 'the memory of the desktop agent does not grow in a session that goes on and on',
    options: {
      seconds: count(3600, 'seconds of the session'),
      pause: { ...count(100, 'pause between two chats'), placeholder: 'MS' },
    },
    load: () => import('./agent-memory.mjs'),
  },
  runs: {
    summary: 'runs that wait: killed hosts and sidecars make no call twice, forged snapshots are refused, many wait',
    options: {
      times: count(1_000, 'runs whose hosts are killed'),
      life: count(5_500, 'the longest that a host lives; longer on a slow machine, or none comes to its work'),
      forged: count(10_000, 'forged snapshots'),
      waiting: count(100_000, 'runs that wait'),
      only: { type: 'string', value: 'all', help: 'kills, forged, waiting or all', placeholder: 'PART' },
    },
    load: () => import('./runs.mjs'),
  },
  fleet: {
    summary:
      'workers and the queue of a fleet killed at any moment: no run lost or wrong, no host function called twice; turns; cancels',
    options: {
      runs: count(10_000, 'runs to make'),
      workers: count(8, 'workers, each with one slot'),
      kills: count(50, 'kills of workers'),
      restarts: count(10, 'kills of the queue'),
      queue: { type: 'string', value: 'redis', help: 'redis or postgres', placeholder: 'NAME' },
      only: { type: 'string', value: 'all', help: 'kills, turns, cancels or all', placeholder: 'PART' },
      'no-speed': noSpeed,
    },
    load: () => import('./fleet.mjs'),
  },
  soak: {
    summary: 'memory and open handles of host and sidecar do not grow',
    options: { runs: count(100_000, 'calls to make') },
    load: () => import('./soak.mjs'),
  },
  stalls: {
    summary: 'a host that stands still loses no result and blames no script',
    options: { rounds: count(25, 'stalls of each kind') },
    load: () => import('./stalls.mjs'),
  },
  files: {
    summary: 'files of gigabytes, of one line, broken, cut and changing ones are contained by each built-in',
    options: {
      megabytes: count(1_024, 'length of the one line'),
      lines: count(10_000_000, 'lines that are empty'),
      timeout: { type: 'number', value: 20_000, help: 'deadline of each script', placeholder: 'MS' },
    },
    load: () => import('./files.mjs'),
  },
  leftovers: {
    summary: 'what scripts leave in their process harms none that comes after',
    options: { rounds: count(10, 'scripts that leave much') },
    load: () => import('./leftovers.mjs'),
  },
  remote: {
    summary: 'a server on another network and disk: many calls, and an upload that is cut',
    options: {
      calls: count(10_000, 'calls to make'),
      cuts: count(20, 'cuts within the upload'),
      megabytes: count(8_000, 'megabytes to upload'),
    },
    load: () => import('./remote.mjs'),
  },
  'remote-link': {
    summary: 'uploads, runs and downloads over links that are late, slow, stand still and are cut at any byte',
    options: { rounds: count(12, 'links'), megabytes: count(64, 'megabytes to upload over each') },
    load: () => import('./remote-link.mjs'),
  },
  'remote-kills': {
    summary: 'SIGKILL of a server or a client in uploads, runs, host calls and downloads: nothing half, twice or left',
    options: { kills: count(200, 'kills at random moments'), lanes: count(3, 'servers at the same time') },
    load: () => import('./remote-kills.mjs'),
  },
  recovery: {
    summary: 'how long from a crash to the next result, and how far over its deadline a hanging script gets',
    options: { rounds: count(100, 'crashes and hangs of each kind') },
    load: () => import('./recovery.mjs'),
  },
};

/**
 * @param {string[]} args
 * @returns {'help' | { name: string, options: Record<string, any> }}
 */
export function parseCommand(args) {
  if (args.length === 0 || args.includes('--help') || args.includes('-h')) return 'help';
  const [name, ...rest] = args;
  if (!Object.hasOwn(commands, name)) throw new UsageError(`Unknown command '${name}'.`);
  const spec = { ...commands[name].options, isolation, 'no-speed': noSpeed };
  const options = Object.fromEntries(Object.entries(spec).map(([option, { value }]) => [option, value]));
  for (const [option, text] of Object.entries(parseOptions(name, spec, rest))) {
    options[option] = spec[option].type === 'number' ? positiveInteger(option, text) : text;
  }
  if (!['process', 'jail'].includes(options.isolation)) {
    throw new UsageError(`--isolation wants process or jail, not '${options.isolation}'.`);
  }
  return { name, options };
}

function parseOptions(name, spec, args) {
  const types = Object.entries(spec).map(([option, { type }]) => [
    option,
    { type: type === 'boolean' ? 'boolean' : 'string' },
  ]);
  try {
    return parseArgs({ args, options: Object.fromEntries(types), strict: true, allowPositionals: false }).values;
  } catch (/** @type {any} */ error) {
    throw new UsageError(`${name}: ${error.message}`, { cause: error });
  }
}

function positiveInteger(option, text) {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--${option} wants a whole number from 1, not '${text}'.`);
}

export function help() {
  const lines = ['npm run stress -- COMMAND [options]', ''];
  for (const [name, { summary, options }] of Object.entries(commands)) {
    lines.push(`  ${name.padEnd(14)}${summary}`);
    for (const [option, { placeholder, value, help: text }] of Object.entries(options)) {
      const shown = option === 'corpus' ? "the project's copy" : value;
      lines.push(`  ${''.padEnd(12)}--${option} ${placeholder}: ${text} (${shown})`);
    }
  }
  lines.push('', `  --isolation ${isolation.placeholder}: ${isolation.help} (${isolation.value})`);
  lines.push(`  --no-speed: ${noSpeed.help}`, '');
  lines.push('The last line on stdout is JSON. Exit code 0: all held; 1: something did not; 2: wrong usage.', '');
  return lines.join('\n');
}
