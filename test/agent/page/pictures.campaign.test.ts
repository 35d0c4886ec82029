import { describe, test } from 'vitest';
import { hasChromium } from '../../browser.ts';
import { expectOtherPictures, expectPictureOfDocs } from '../../pictures.ts';
import { pictures, takePicture } from './fake/pictures.mjs';
import { useFakePage } from './support.ts';

describe.skipIf(!hasChromium)('the pictures of docs/desktop-agent.md', () => {
  const pages = useFakePage();

  test.each(Object.keys(pictures))('%s is what the page shows, whatever its fonts', async (name) => {
    expectPictureOfDocs(name, await takePicture(pages.browser(), pages.origin(), name));
  });

  test('a picture of another screen would not pass', () => expectOtherPictures('agent-chat', 'agent-settings'));
});
