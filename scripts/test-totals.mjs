// node scripts/test-totals.mjs REPORT: prints vitest's JSON report as `N passed, N failed[, N skipped]`.
import { readFileSync } from 'node:fs';

const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
// A file that does not load, or whose hooks fail, fails without a failed test in it: count the file.
const failedFiles = report.testResults.filter(
  ({ status, assertionResults }) => status === 'failed' && !assertionResults.some((test) => test.status === 'failed'),
).length;
const failed = report.numFailedTests + failedFiles;
const skipped = report.numPendingTests + report.numTodoTests;
console.log(`${report.numPassedTests} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
