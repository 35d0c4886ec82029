// npm run bench:agent: what the desktop agent's own work takes, against the least that it could.
import { cpus, loadavg } from 'node:os';
import { ratioOf, summarize } from '../statistics.mjs';
import { measureContext } from './context.mjs';
import { measurePage } from './page.mjs';
import { measurePreview } from './preview.mjs';
import { measureMessages, measureStart, measureUpload } from './program.mjs';
import { measureStop } from './stop.mjs';

console.log(`Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model.trim()}, load ${loadavg()[0]?.toFixed(1)}`);
const measures = [
  measureStart,
  measureUpload,
  measureMessages,
  measurePage,
  measurePreview,
  measureStop,
  measureContext,
];
for (const measure of measures) {
  const measured = await measure();
  if (measured === null) continue;
  const { title, least, samples } = measured;
  console.log(`${title}:`);
  for (const [name, times] of Object.entries(samples)) {
    const { p50, min } = summarize(times);
    const { value } = ratioOf(times, [samples[least] ?? []]);
    console.log(`  ${name.padEnd(26)}${value.toFixed(2)} ×   median ${p50.toFixed(0)} ms, least ${min.toFixed(0)} ms`);
  }
}
