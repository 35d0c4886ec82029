import type { SavedOutput } from '@mustard-sandbox/client';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { openAttachment } from '@mustard-sandbox/agent-tool/host';
import { isChartName, messageOf } from '@mustard-sandbox/protocol';
import { chartLimits } from '@mustard-sandbox/protocol/chart';

/** How many charts of one answer a model sees. Each takes about as many tokens as a page of text. */
const mostImages = 4;
/** Of one PNG. A drawing of 50,000 points takes 30 KB, and one with 24 facets 200 KB. */
const maxImageBytes = 1024 * 1024;

/**
 * The charts that a script kept, as images for models that see. The library that draws is loaded for the first one.
 *
 * @param tell gets why a chart has no image. Its link is in the answer all the same.
 */
export async function chartImages(
  outputs: readonly SavedOutput[],
  tell: (problem: string) => void,
): Promise<CallToolResult['content']> {
  const images: CallToolResult['content'] = [];
  for (const { name, path } of outputs.filter(({ name }) => isChartName(name)).slice(0, mostImages)) {
    try {
      const data = await pngAt(path);
      images.push({ type: 'image', data, mimeType: 'image/png' });
    } catch (error) {
      tell(`${name} has no image: ${messageOf(error)}`);
    }
  }
  return images;
}

/** @returns base64 */
async function pngAt(path: string): Promise<string> {
  const { parseChart, pngOf } = await import('@mustard-sandbox/charts/files');
  const png = await pngOf(parseChart(await readKept(path)));
  if (png.byteLength > maxImageBytes) throw new Error(`It would have ${png.byteLength} bytes.`);
  return Buffer.from(png.buffer, png.byteOffset, png.byteLength).toString('base64');
}

/** Whoever may write into the folder may have put something else in the place of what the script kept. */
async function readKept(path: string): Promise<string> {
  const file = await openAttachment({ path, noLinks: true });
  try {
    const { size } = await file.stat();
    if (size > chartLimits.bytes) throw new Error(`It has ${size} bytes by now.`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}
