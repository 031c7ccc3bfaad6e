// Reads vitest's JSON report (the argument) and prints the last line of .ci/run, "N passed, N failed, N skipped". A
// skip counts as a failure, unless the test's name mentions something that a machine may lack: a file of ../shared,
// Chromium, Firefox, or git.
import { readFileSync } from 'node:fs';

const MAY_BE_MISSING = /\.\.\/shared\/|chromium|firefox|needs git/;
const report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const { numPassedTests = 0, numFailedTests = 0, testResults = [] } = report;
const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
const notRun = tests.filter(({ status }) => status !== 'passed' && status !== 'failed').map(({ fullName }) => fullName);
const unexcused = notRun.filter((name) => !MAY_BE_MISSING.test(name));
for (const name of unexcused) console.log(`skipped, and no file of ../shared that it needs is named: ${name}`);
// A file that fails to load has no tests to count.
const broken = numFailedTests || report.success ? numFailedTests : Math.max(1, report.numFailedTestSuites ?? 0);
const failed = broken + unexcused.length;
console.log(`\n${numPassedTests} passed, ${failed} failed, ${notRun.length - unexcused.length} skipped`);
process.exit(failed ? 1 : 0);
