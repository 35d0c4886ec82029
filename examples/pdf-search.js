/**
 * The pages of a PDF on which a word stands, with the text around it.
 *
 * @param {string} word - what to look for, in any case
 * @param {string} [pdf] - the PDF; the first attachment, if not given
 * @param {number} [width=60] - how many characters to show before and after it
 * @param {number} [limit=20] - how many places to show
 * @example mustard-sandbox run pdf-search.js --attach paper.pdf --input 'word="invoice"' --input limit=3
 */
const { word, pdf = list_files('attachments:')[0], width = 60, limit = 20 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('word', word, typeof word === 'string' && word !== '', 'a text');
check('pdf', pdf, typeof pdf === 'string', 'the path of a PDF, or one must be attached');
check('width', width, Number.isInteger(width) && width >= 0, 'a whole number from 0');
check('limit', limit, Number.isInteger(limit) && limit > 0, 'a whole number from 1');

const escaped = word.replace(/[.*+?^${}()|\[\]\\]/g, '\\$&');
const pages = pdf_text(pdf);
const shown = [];
let places = 0;
pages.forEach((text, i) => {
  // With a function, which is told each place: quicker than matchAll over a long page.
  text.replace(new RegExp(escaped, 'gi'), (match, index) => {
    places += 1;
    if (shown.length < limit) {
      const around = text.slice(Math.max(0, index - width), index + match.length + width);
      shown.push({ page: i + 1, text: around.replace(/\s+/g, ' ') });
    }
    return match;
  });
});
({ pages: pages.length, places, shown });
