import { byKey, countBy, distinct, round, sum, sumBy, top } from './answers.mjs';

/** A product feed as XML, with attributes, CDATA, entities and elements that may be missing. */
export const feed = {
  files: ['feed.xml'],
  make(random, scale) {
    const items = Array.from({ length: 8000 * scale }, (_, at) => ({
      id: `i${at}`,
      lang: random.skewed(['en', 'de', 'fr']),
      title: random.of(['Pots & pans', 'A <b>bold</b> claim', 'Plain title', 'Salt "fine"']),
      price: random.int(20_000),
      tags: Array.from({ length: random.int(4) }, () => random.of(['sale', 'new', 'eco'])),
      stock: random.chance(0.2) ? undefined : random.int(50),
    }));
    const escape = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
    const text = items.map(
      ({ id, lang, title, price, tags, stock }, at) =>
        `  <item id="${id}" lang='${lang}'>\n    <title>${at % 2 ? `<![CDATA[${title}]]>` : escape(title)}</title>\n    <price currency="EUR">${(price / 100).toFixed(2)}</price>\n` +
        `    <tags>${tags.map((tag) => `<tag>${tag}</tag>`).join('')}</tags>\n${stock === undefined ? '' : `    <stock>${stock}</stock>\n`}  </item>\n`,
    );
    const comment = '  <!-- <item id="old"><price>1.00</price></item> -->\n';
    return {
      files: { 'feed.xml': `<?xml version="1.0" encoding="UTF-8"?>\n<feed>\n${comment}${text.join('')}</feed>\n` },
      model: items,
    };
  },
  questions: {
    'feed-items': [
      'How many item elements does feed.xml have (what is in a comment is none)?',
      'a number',
      (all) => all.length,
    ],
    'feed-langs': [
      'How many items of each lang are in feed.xml?',
      'an object from lang to count',
      (all) => byKey(countBy(all, ({ lang }) => lang)),
    ],
    'feed-average': [
      'What is the average price of the items in feed.xml, rounded to two digits?',
      'a number',
      (all) => round(sum(all.map(({ price }) => price)) / all.length / 100),
    ],
    'feed-tags': [
      'How often is each tag used in feed.xml?',
      'an object from tag to count',
      (all) =>
        byKey(
          countBy(
            all.flatMap(({ tags }) => tags),
            (tag) => tag,
          ),
        ),
    ],
    'feed-no-stock': [
      'How many items in feed.xml have no stock element?',
      'a number',
      (all) => all.filter(({ stock }) => stock === undefined).length,
    ],
    'feed-titles': [
      'How often is each title used in feed.xml? Titles are read as an XML parser gives them: entities and CDATA resolved.',
      'an object from title to count',
      (all) => byKey(countBy(all, ({ title }) => title)),
    ],
    'feed-stock': [
      'Which lang has the highest sum of stock in feed.xml?',
      'an array [lang, sum]',
      (all) =>
        top(
          sumBy(
            all,
            ({ lang }) => lang,
            ({ stock }) => stock ?? 0,
          ),
          1,
        )[0],
    ],
    'feed-tagged': [
      'How many items in feed.xml have at least two different tags?',
      'a number',
      (all) => all.filter(({ tags }) => distinct(tags) >= 2).length,
    ],
  },
};
