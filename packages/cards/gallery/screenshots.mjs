// npm run screenshots -- cards: makes the pictures of docs/cards.md anew. They are also what the tests compare with.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { buildPage } from './build.mjs';
import { pictures, takePicture } from './pictures.mjs';
import { startServer } from './server/server.mjs';

const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';

const server = await startServer(await buildPage());
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  for (const name of Object.keys(pictures)) {
    await writeFile(`${folder}${name}.png`, await takePicture(browser, server.origin, name));
    console.log(`docs/images/${name}.png`);
  }
} finally {
  await browser.close();
  await server.close();
}
