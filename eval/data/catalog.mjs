import { byKey, countBy, round, sum, top } from './answers.mjs';

/** One deep JSON value on one line. */
export const catalog = {
  files: ['catalog.json'],
  make(random, scale) {
    const categories = Array.from({ length: 12 }, (_, at) => ({
      name: `Category ${at}`,
      products: Array.from({ length: Math.ceil((400 + 20 * at) * scale) }, (_, product) => ({
        sku: `SKU-${at}-${product}`,
        price: { amount: 100 + random.int(90_000), currency: random.skewed(['EUR', 'USD']) },
        stock: random.chance(0.1) ? 0 : random.int(400),
        attributes: {
          color: random.of(['red', 'green', 'blue']),
          ...(random.chance(0.5) && { weight: random.int(5000) }),
        },
        description: 'x'.repeat(200 + random.int(400)),
        reviews: Array.from({ length: random.int(12) }, () => ({
          stars: 1 + random.int(5),
          by: `r${random.int(300)}`,
        })),
      })),
    }));
    const value = {
      version: 3,
      settings: { locale: { currency: 'EUR', units: ['kg', 'm'] }, flags: { beta: true } },
      categories,
    };
    return {
      files: { 'catalog.json': JSON.stringify(value) },
      model: categories.flatMap(({ name, products }) => products.map((product) => ({ ...product, category: name }))),
    };
  },
  questions: {
    'catalog-products': [
      'How many products are in catalog.json, over all of its categories?',
      'a number',
      (all) => all.length,
    ],
    'catalog-by-category': [
      'How many products does each category of catalog.json have?',
      'an object from the name of the category to a number',
      (all) => byKey(countBy(all, ({ category }) => category)),
    ],
    'catalog-out-of-stock': [
      'How many products in catalog.json have a stock of 0?',
      'a number',
      (all) => all.filter(({ stock }) => stock === 0).length,
    ],
    'catalog-dearest': [
      'Which product in catalog.json has the highest price.amount among those in EUR?',
      'an array [sku, amount]; of equals the one that comes first',
      (all) => {
        const euro = all.filter(({ price }) => price.currency === 'EUR');
        const most = Math.max(...euro.map(({ price }) => price.amount));
        return [euro.find(({ price }) => price.amount === most).sku, most];
      },
    ],
    'catalog-stars': [
      'What is the average of stars over all reviews in catalog.json, rounded to three digits?',
      'a number',
      (all) => {
        const stars = all.flatMap(({ reviews }) => reviews.map((review) => review.stars));
        return round(sum(stars) / stars.length, 3);
      },
    ],
    'catalog-setting': [
      'What is settings.locale in catalog.json?',
      'the value as it stands there',
      () => ({ currency: 'EUR', units: ['kg', 'm'] }),
    ],
    'catalog-reviewer': [
      'Which reviewer (by) wrote the most reviews in catalog.json?',
      'an array [by, count]; of equals the one that sorts first as text',
      (all) =>
        top(
          countBy(
            all.flatMap(({ reviews }) => reviews),
            ({ by }) => by,
          ),
          1,
        )[0],
    ],
    'catalog-weight': [
      'How many products of each color (attributes.color) in catalog.json have no attributes.weight?',
      'an object from color to count',
      (all) =>
        byKey(
          countBy(
            all.filter(({ attributes }) => attributes.weight === undefined),
            ({ attributes }) => attributes.color,
          ),
        ),
    ],
  },
};
