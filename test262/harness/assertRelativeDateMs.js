function assertRelativeDateMs(date, wanted) {
  assert.sameValue(date.valueOf() - date.getTimezoneOffset() * 60000, wanted);
}
