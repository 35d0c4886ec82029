class Test262Error {
  constructor(message) {
    this.name = 'Test262Error';
    this.message = message === undefined ? '' : message;
  }
  toString() {
    return `${this.name}: ${this.message}`;
  }
}

function $ERROR(message) {
  throw new Test262Error(message);
}

function harnessShow(value) {
  if (typeof value === 'string') return JSON.stringify(value);
  if (Object.is(value, -0)) return '-0';
  if (value === null || (typeof value !== 'object' && typeof value !== 'function')) return String(value);
  return Array.isArray(value) ? 'a list' : `a value of the type ${typeof value}`;
}

function harnessFail(why, message) {
  throw new Test262Error(message === undefined ? why : `${why} (${message})`);
}

function assert(isTrue, message) {
  if (isTrue !== true) harnessFail(`${harnessShow(isTrue)} instead of true`, message);
}
assert.sameValue = (got, wanted, message) => {
  if (!Object.is(got, wanted)) harnessFail(`${harnessShow(got)} instead of ${harnessShow(wanted)}`, message);
};
assert.notSameValue = (got, unwanted, message) => {
  if (Object.is(got, unwanted)) harnessFail(`${harnessShow(got)}, of all values`, message);
};
assert.throws = (kind, act, message) => {
  if (typeof act !== 'function') harnessFail('nothing to call', message);
  let thrown;
  let hasThrown = false;
  try {
    act();
  } catch (error) {
    thrown = error;
    hasThrown = true;
  }
  if (!hasThrown) harnessFail(`nothing thrown instead of ${kind.name}`, message);
  if (thrown === null || typeof thrown !== 'object') harnessFail(`${harnessShow(thrown)} thrown`, message);
  if (thrown.constructor !== kind) harnessFail(`${thrown.name} instead of ${kind.name}`, message);
};

function harnessNameOf(error) {
  return error instanceof Error ? `${error.name}: ${error.message}` : harnessShow(error);
}
