// node scripts/test-totals.mjs REPORT: prints vitest's JSON report as `N passed, N failed[, N skipped]`, and before it
// each test that passed only when it was tried again.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
for (const { name, assertionResults } of report.testResults) {
  for (const { status, fullName, failureMessages } of assertionResults) {
    if (status !== 'passed' || failureMessages.length === 0) continue;
    console.log(`FLAKY, passed at the second try: ${relative(process.cwd(), name)} › ${fullName}`);
    console.log(failureMessages[0]);
  }
}

// A file that does not load, or whose hooks fail, fails without a failed test in it: count the file.
const failedFiles = report.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
).length;
const failed = report.numFailedTests + failedFiles;
const skipped = report.numPendingTests + report.numTodoTests;
console.log(`${report.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
