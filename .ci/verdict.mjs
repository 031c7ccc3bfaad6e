// vitest's JSON (the argument) → the closing line of .ci/run, "N passed, N failed, N skipped". A skip is a failure, unless the test's name
// says which thing a machine may lack is missing: a file of ../shared, or Chromium.
import { readFileSync } from 'node:fs';

const MAY_BE_MISSING = /\.\.\/shared\/|chromium/;
const { numPassedTests = 0, numFailedTests = 0, numFailedTestSuites = 0, success = false, testResults = [] } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const notRun = testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => !['passed', 'failed'].includes(status)).map(({ fullName }) => fullName);
const unexcused = notRun.filter((name) => !MAY_BE_MISSING.test(name));
for (const name of unexcused) console.log(`skipped, and no file of ../shared that it needs is named: ${name}`);
const failed = (numFailedTests || (success ? 0 : Math.max(1, numFailedTestSuites))) + unexcused.length; // a file that does not load has no tests to count
console.log(`\n${numPassedTests} passed, ${failed} failed, ${notRun.length - unexcused.length} skipped`);
process.exit(failed ? 1 : 0);
