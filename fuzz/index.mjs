// npm run fuzz -- TARGET [options]: looks for input that breaks what docs/security.md promises. `--help` lists it all.
import { endEverything } from '../stress/sandboxes.mjs';
import { campaign } from './campaign.mjs';
import { help, parseCommand, targets, UsageError } from './commands.mjs';

const exitCodes = { found: 1, usage: 2, interrupted: 130, terminated: 143 };

let interrupted = false;
/** @type {(() => Promise<void>) | undefined} */
let release;
/** Of `--programs`: how many were tried, and how many of them are wrong. @type {((more: string) => void) | undefined} */
let sayReached;

// Not `once`: a second Ctrl-C must not end the process before everything that it started has ended.
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    interrupted = true;
    const code = signal === 'SIGINT' ? exitCodes.interrupted : exitCodes.terminated;
    sayReached?.(', interrupted');
    void clean().finally(() => process.exit(code));
  });
}

async function clean() {
  await release?.();
  await endEverything();
}

/** @param {string} name @param {Exclude<ReturnType<typeof parseCommand>, 'help'>} options */
async function fuzz(name, { seconds, seed, batches: most, programs: wanted, maxFindings, tables, choose, json }) {
  const startedAt = performance.now();
  const target = await (await targets[name].load()).open({ tables, choose, programs: wanted });
  const batches = Math.min(most, target.batches ?? Infinity);
  release = () => target.close();
  let toldAt = startedAt;
  const reached = () => {
    const { tried, wrong } = target.programs();
    return `${counted(tried)} programs, ${counted(wrong)} wrong (seed ${seed})`;
  };
  if (wanted !== undefined) sayReached = once((more) => process.stdout.write(`${reached()}${more}\n`));
  const tell = ({ executions, findings }) => {
    if (performance.now() - toldAt < 5_000) return;
    toldAt = performance.now();
    const perSecond = (executions / (toldAt - startedAt)) * 1_000;
    if (wanted !== undefined)
      process.stderr.write(`${reached()} of ${counted(wanted)}, ${Math.round(perSecond)} a second\n`);
    else {
      const programs = target.programs === undefined ? '' : `, programs: ${JSON.stringify(target.programs())}`;
      process.stderr.write(`${name}: ${executions} executions, ${findings.length} findings${programs}\n`);
    }
  };
  const stopped = () => interrupted;
  const tally = await campaign({ target: name, seed, seconds, batches, maxFindings, stopped }, target, tell);
  const findings = [...tally.findings, ...(interrupted ? [] : await target.remains())];
  await clean();
  const took = (performance.now() - startedAt) / 1_000;
  const perSecond = Math.round(tally.executions / took);
  const figures = {
    ...tally,
    ...(target.programs && { programs: target.programs() }),
    findings,
    seconds: Math.round(took),
    perSecond,
  };
  if (!json) report(figures);
  return figures;
}

function counted(number) {
  return number.toLocaleString('en-US');
}

/** What was reached is said at the end or when it is interrupted, not twice. */
function once(say) {
  let isSaid = false;
  return (more) => {
    if (!isSaid) say(more);
    isSaid = true;
  };
}

function report({ target, seed, executions, perSecond, seconds, findings, programs }) {
  const rate = `${executions} executions in ${seconds} s, ${perSecond} a second`;
  process.stdout.write(`${target.padEnd(7)} seed ${seed}: ${rate}, ${findings.length} findings\n`);
  if (programs !== undefined) process.stdout.write(`  programs: ${JSON.stringify(programs)}\n`);
  for (const { law, seed: found, input, error, file } of findings) {
    const shown = [input, error.split('\n')[0]].map((text) => `    ${text.slice(0, 300)}\n`).join('');
    process.stdout.write(`  FOUND: ${law} (--seed ${found}, ${file})\n${shown}`);
  }
}

// A promise that never settles lets the process end early: that must not look like success.
process.exitCode = exitCodes.found;
try {
  const parsed = parseCommand(process.argv.slice(2));
  if (parsed === 'help') {
    process.stdout.write(help());
    process.exitCode = 0;
  } else {
    const results = [];
    for (const name of parsed.names) if (!interrupted) results.push(await fuzz(name, parsed));
    const ok = results.every(({ findings }) => findings.length === 0);
    if (!interrupted && (sayReached === undefined || parsed.json))
      process.stdout.write(`${JSON.stringify({ command: 'fuzz', ok, node: process.version, results })}\n`);
    else if (!interrupted) sayReached?.('');
    process.exitCode = ok ? 0 : exitCodes.found;
  }
} catch (/** @type {any} */ error) {
  if (!interrupted)
    process.stderr.write(error instanceof UsageError ? `${error.message}\n\n${help()}` : `${error?.stack ?? error}\n`);
  process.exitCode = error instanceof UsageError ? exitCodes.usage : exitCodes.found;
  await clean();
}
