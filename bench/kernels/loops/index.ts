// All hot loops, in the order of a frame. bench/kernels/hot-loops.mjs measures each in a separate process.
import { blends, resolves, writes } from './color';
import { coverage1, coverage4 } from './coverage';
import { compareSamples, depthTest } from './depth';
import { geometry } from './geometry';
import { interpreter } from './interpreter';
import type { HotLoop, Side } from './kit';
import { stencils } from './stencil';
import { textureLoop } from './texture';
import { bounds, fetch, project } from './vertices';

export const makers: readonly (() => HotLoop)[] = [
  bounds,
  fetch,
  project,
  geometry,
  coverage1,
  coverage4,
  () => depthTest(1),
  () => depthTest(4),
  compareSamples,
  ...stencils,
  () => interpreter('transform'),
  () => interpreter('lighting'),
  () => textureLoop('nearest'),
  () => textureLoop('bilinear'),
  () => textureLoop('trilinear'),
  ...blends,
  ...writes,
  ...resolves,
];

/** Runs each side once from the same state. Returns the difference as a sentence, or nothing. */
export function difference({ name, simd, scalar, plain, tolerance, restart }: HotLoop): string | undefined {
  const resultOf = ({ run, output }: Side): number[] => {
    restart?.();
    run();
    return Array.from(output());
  };
  const ours = resultOf(simd);
  const twin = resultOf(scalar);
  const theirs = resultOf(plain);
  const unlike = ours.findIndex((value, i) => !Object.is(value, twin[i]));
  if (unlike >= 0 || ours.length !== twin.length)
    return `${name}: number ${unlike} is ${ours[unlike]}, and ${twin[unlike]} without SIMD`;
  const far = ours.findIndex((value, i) => !(Math.abs(value - theirs[i]!) <= tolerance));
  if (far >= 0 || ours.length !== theirs.length)
    return `${name}: number ${far} of ${ours.length} is ${ours[far]}, and ${theirs[far]} in plain TypeScript`;
  if (new Set(ours).size < 2) return `${name}: nothing was computed`;
  return undefined;
}
