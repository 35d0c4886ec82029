// The texts are long: `join` makes them in one go.
function buildString({ loneCodePoints, ranges }) {
  const letters = loneCodePoints.map((code) => String.fromCodePoint(code));
  for (const [first, last] of ranges) {
    for (let code = first; code <= last; code++) letters.push(String.fromCodePoint(code));
  }
  return letters.join('');
}
function testPropertyEscapes(pattern, text, name) {
  if (!pattern.test(text)) harnessFail(`${name} does not match all of the letters`);
}
function matchValidator(entries, index, input) {
  return (match) => {
    assert.compareArray(match, entries);
    assert.sameValue(match.index, index);
    assert.sameValue(match.input, input);
  };
}
