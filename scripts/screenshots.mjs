// npm run screenshots -- cards|agent|chat: makes the pictures of the pages anew, in docs/images. Tests compare the cards
// and the agent with them.
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

const root = fileURLToPath(new URL('..', import.meta.url));
const node = process.execPath;

/** What is run for each, and the page that shows the pictures. */
const makers = {
  cards: [node, ['packages/cards/gallery/screenshots.mjs']], // docs/cards.md
  agent: [node, ['test/agent/page/screenshots.mjs']], // docs/desktop-agent.md
  chat: ['npx', ['vitest', 'run', 'test/agent/end-to-end/log.campaign.test.ts'], { env: { AGENT_PICTURE: '1' } }], // README.md
};

const [name = ''] = process.argv.slice(2);
if (Object.hasOwn(makers, name)) {
  const [command, args, options] = makers[name];
  const { exitCode } = await execa(command, args, { cwd: root, stdio: 'inherit', reject: false, ...options });
  process.exitCode = exitCode ?? 1;
} else {
  console.error(`Name what to make pictures of: npm run screenshots -- ${Object.keys(makers).join('|')}`);
  process.exitCode = 2;
}
