let harnessSettle;
const harnessSettled = new Promise((resolve) => {
  harnessSettle = resolve;
});
function $DONE(error) {
  harnessSettle([error]);
}
function harnessJudge([error]) {
  if (!error) return;
  if (error instanceof Test262Error) throw error;
  if (error instanceof Error) throw new Test262Error(`caught: ${harnessNameOf(error)}`);
  throw new Test262Error(harnessShow(error));
}
