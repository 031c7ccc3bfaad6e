// WGSL texts by seed: shapes, and shaders by the grammar (tests/compute/random), cut, repeated and reassembled. The
// front end must return a result in time, and throw nothing.
import { renderDiagnostics } from '../../src/base/diagnostics';
import { checkModule, parseModule, type ConstantMath } from '../../src/wgsl';
import { randomProgram } from '../compute/random/program';
import { mulberry32 } from '../support/floats';
import { shapes } from '../wgsl/shapes';
import { simpleMath } from '../wgsl/simple-math';
import { textCorpus } from './corpus';
import type { Target } from './target';

/** CPU milliseconds that an input may take. */
const MAX_MS = 2000;
const WORDS = [
  'a',
  'b',
  'f',
  'S',
  'array',
  'vec4f',
  'f32',
  'ptr',
  'fn',
  'const',
  'override',
  'alias',
  'struct',
  'loop',
  'if',
  'else',
  'switch',
  'case',
  'default',
  'for',
  'while',
  'return',
  'break',
  'continue',
  'continuing',
  '(',
  ')',
  '{',
  '}',
  '<',
  '>',
  '[',
  ']',
  ',',
  ';',
  ':',
  '=',
  '==',
  '&',
  '*',
  '-',
  '&&',
  '@',
  '1',
  '4294967295u',
  '1e38',
  '0x7f',
  '"',
  '/*',
  '\x1b]',
  '\ud800',
];

/** The building blocks: small ones, so that many can be tried. */
const seeds = Object.values(shapes).map((write) => write(400));

/** The text of a seed, the same on every machine. */
function textOf(seed: number): string {
  const words = mulberry32(seed);
  const below = (n: number): number => Math.floor((words() / 2 ** 32) * n);
  const source = below(2) === 0 ? randomProgram({ below }).wgsl : seeds[below(seeds.length)]!;
  const pieces = source.match(/\w+|[^\w\s]|\n/g)!;
  for (let left = 1 + below(12); left > 0; left--) {
    const at = below(pieces.length);
    switch (below(5)) {
      case 0:
        pieces.splice(at, 1 + below(8));
        break;
      case 1:
        pieces.splice(at, 0, WORDS[below(WORDS.length)]!);
        break;
      case 2:
        pieces[at] = WORDS[below(WORDS.length)]!;
        break;
      case 3:
        pieces.splice(at, 0, ...pieces.slice(at, at + below(30)));
        break;
      default: {
        const repeated = pieces.slice(at, at + 1 + below(4));
        pieces.splice(at, 0, ...Array.from({ length: below(200) }, () => repeated).flat());
      }
    }
    if (pieces.length === 0) return '';
  }
  return pieces.join(' ');
}

/** Describes the mistake in how the front end handles a text, or null. */
function mistakeInText(source: string, math: ConstantMath = simpleMath): string | null {
  const before = process.cpuUsage();
  try {
    const { module, diagnostics } = parseModule(source);
    renderDiagnostics(source, [...diagnostics, ...checkModule(module, math).diagnostics]);
  } catch (error) {
    return `threw ${String(error)}`;
  }
  const ms = process.cpuUsage(before).user / 1000;
  return ms > MAX_MS ? `took ${ms.toFixed(0)} ms` : null;
}

export const texts: Target = {
  what: 'mutated WGSL texts',
  maxAttemptMs: 10_000,
  reopenAfter: 10_000,
  open: async () => {
    const found = textCorpus.map((source) => mistakeInText(source)).find((mistake) => mistake !== null);
    return (seed) => found ?? mistakeInText(textOf(seed));
  },
};
