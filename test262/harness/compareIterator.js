assert.compareIterator = (iterator, checks, message) => {
  for (const check of checks) {
    const { done, value } = iterator.next();
    if (done) harnessFail('an end too early', message);
    check(value);
  }
  const { done, value } = iterator.next();
  if (!done) harnessFail('more than wanted', message);
  assert.sameValue(value, undefined, message);
};
