import { describe, test } from 'vitest';
import { pictures, takePicture } from '../../../packages/cards/gallery/pictures.mjs';
import { hasChromium } from '../../browser.ts';
import { expectOtherPictures, expectPictureOfDocs } from '../../pictures.ts';
import { useGallery } from './support.ts';

describe.skipIf(!hasChromium)('the pictures of docs/cards.md', () => {
  const gallery = useGallery();

  test.each(Object.keys(pictures))('%s is what the gallery shows, whatever its fonts', async (name) => {
    expectPictureOfDocs(name, await takePicture(gallery.browser(), gallery.origin(), name));
  });

  test('a picture of the other theme would not pass', () => expectOtherPictures('cards-settings', 'cards-line'));
});
