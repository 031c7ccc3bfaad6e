// Measures the compiler's steps in a separate process. bench/start/pipeline.mjs starts it. Standard input: a shader.
// Standard output: a line of JSON with the first time (`cold`) and repeated times (`warm`). The caller takes medians.
import { readFileSync } from 'node:fs';
import { compileSteps } from '../../build/testing/steps.js';

const { code, rounds } = JSON.parse(readFileSync(0, 'utf8'));
const cold = compileSteps(code);
console.log(JSON.stringify({ cold, warm: Array.from({ length: rounds }, () => compileSteps(code)) }));
