/**
 * What stands at one place of a JSON file of up to 200 MB; without a place its shape.
 *
 * @param {string} [json] - the file; the first attachment, if not given
 * @param {string} [pointer=""] - the place, as /user/plan or $.user.plan
 * @param {number} [offset=0] - of a list, how many items to leave out
 * @param {number} [limit=20] - of a list, how many items to give
 * @example mustard-sandbox run json-at.js --attach report.json --input 'pointer="/user/plan"'
 */
const { json = list_files('attachments:')[0], pointer = '', offset = 0, limit = 20 } = globalThis;

/** What is wrong with an input is said by its name. */
function check(name, value, isRight, wanted) {
  if (!isRight) throw new Error(`${name} must be ${wanted}, but is ${JSON.stringify(value) ?? 'missing'}`);
}
check('json', json, typeof json === 'string', 'the path of a JSON file, or one must be attached');
check('pointer', pointer, typeof pointer === 'string', 'a JSON Pointer or a simple JSONPath');
check('offset', offset, Number.isInteger(offset) && offset >= 0, 'a whole number from 0');
check('limit', limit, Number.isInteger(limit) && limit > 0, 'a whole number from 1');

pointer === '' ? read_json(json) : read_json(json, { pointer, offset, limit });
