function compareArray(one, other) {
  if (one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}
assert.compareArray = (got, wanted, message) => {
  if (!compareArray(got, wanted)) harnessFail(`[${got.join()}] instead of [${wanted.join()}]`, message);
};
