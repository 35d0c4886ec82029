// npm run screenshots -- agent: makes the pictures of docs/desktop-agent.md anew. They are also what the tests compare with.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';
import { pictures, takePicture } from './fake/pictures.mjs';
import { serveFake } from './fake/serve.mjs';

const folder = fileURLToPath(new URL('../../../docs/images/', import.meta.url));
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

const server = await serveFake();
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  for (const name of Object.keys(pictures)) {
    await writeFile(`${folder}${name}.png`, await takePicture(browser, server.origin, name));
    console.log(`docs/images/${name}.png`);
  }
} finally {
  await browser.close();
  server.close();
}
