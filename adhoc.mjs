import { measurePreview } from './bench/agent/preview.mjs';
import { ratioOf, summarize } from './bench/statistics.mjs';
const { title, least, samples } = await measurePreview();
console.log(title);
for (const [name, times] of Object.entries(samples)) {
    const { p50, min } = summarize(times);
    console.log(name, ratioOf(times, [samples[least] ?? []]).value.toFixed(2), p50.toFixed(1), min.toFixed(1));
}
