// The part `mesh` of the benchmark shading-rate: a mesh of 8,192 triangles at coarse rates.
import { openDevice } from '../support/device.mjs';
import { compare, frameOf } from '../support/pairs.mjs';
import { progress, say } from '../support/progress.mjs';
import { mesh } from '../scenes/mesh.mjs';

/** Maximum ratio of frames at 4×4 to those at 1×1, at one sample. */
const MESH = 0.35;

/** Returns the rows of the part. `setting` has the picture's size, threads, milliseconds per side and sample counts. */
export async function meshRows({ size, threads, ms: forMs, samples: counts, checkLimit }) {
  const rows = [];
  for (const samples of counts)
    for (const derivatives of [false, true]) {
      const device = await openDevice({ options: { threads }, features: ['shading-rate'] });
      const key = `mesh@${samples}x${derivatives ? ', derivatives' : ''}`;
      const rates = ['4x4', '2x2', '1x1'];
      const sides = Object.fromEntries(
        rates.map((rate) => [rate, frameOf(device, mesh(device, { ...size, samples, derivatives, rate }))])
      );
      const { pairs, ms, ratio } = await compare(sides, {
        forMs,
        warmMs: 500,
        onPair: (n) => progress(0, 1, `${key}, ${n} rounds`),
      });
      device.destroy();
      say(
        `${key}, ms a frame: ${Object.entries(ms)
          .map(([name, value]) => `${name} ${value}`)
          .join(', ')}`
      );
      for (const rate of ['4x4', '2x2'])
        rows.push(
          checkLimit(`${key}, ${rate} over 1x1, frame`, ratio(rate, '1x1'), {
            limit: samples === 1 && rate === '4x4' ? MESH : undefined,
            sides: [rate, '1x1'],
            pairs,
            ms,
          })
        );
    }
  return rows;
}
