// The compiler's steps in a process of their own; bench/pipeline.mjs starts it. Standard input: a shader. Standard
// output: a line of JSON, the first time (`cold`) and again and again (`warm`: medians are the caller's).
import { readFileSync } from 'node:fs';
import { compileSteps } from '../../build/testing/steps.js';

const { code, rounds } = JSON.parse(readFileSync(0, 'utf8'));
const cold = compileSteps(code);
console.log(JSON.stringify({ cold, warm: Array.from({ length: rounds }, () => compileSteps(code)) }));
