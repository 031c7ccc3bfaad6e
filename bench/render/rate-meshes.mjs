// The parts `mesh` and `forest` of the benchmark shading-rate: a mesh of 8,192 triangles at coarse rates, and the
// forest of examples/shading/forest.mjs at automatic ones.
import { createRateImage } from '../../build/rate-image.js';
import { depthRates, forest } from '../../examples/shading/forest-scene.mjs';
import { openDevice } from '../support/device.mjs';
import { compare, frameOf } from '../support/pairs.mjs';
import { progress, say } from '../support/progress.mjs';
import { roundTo } from '../support/machine.mjs';
import { depthAttachment, FORMAT, readback, TEXTURE } from '../scenes/kit.mjs';
import { mesh } from '../scenes/mesh.mjs';
import { ssimOf } from './ssim.mjs';

/** Maximum ratio of frames at 4×4 to those at 1×1, at one sample. */
const MESH = 0.35;
/** Maximum ratio of frames at automatic rates to those at 1×1, and minimum SSIM. */
const FOREST = { frame: 0.7, ssim: 0.98 };

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

/** Returns the rows of a forest: by the depths of `auto` and by a rate image of the frame before, over 1×1. */
export async function forestRows({ size, threads, ms: forMs, checkLimit }) {
  const device = await openDevice({
    options: { threads },
    features: ['shading-rate', 'statistics', 'statistics-times'],
  });
  const { width, height } = size;
  const image = createRateImage(device, { width, height, tolerance: 8 / 255 });
  const scene = forest(device, { width, height, samples: 1, format: FORMAT });
  const depthStencilAttachment = depthAttachment(device, { width, height, samples: 1 });
  const texture = () =>
    device.createTexture({
      size: [width, height],
      format: FORMAT,
      usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC | TEXTURE.SAMPLED,
    });
  const before = texture();
  const after = texture();
  const frame = (view, kind) => {
    const encoder = device.createCommandEncoder();
    if (kind === 'image') image.update(encoder, { color: before });
    const shadingRates = { auto: { depth: depthRates }, image: { region: image.region } }[kind];
    const pass = encoder.beginRenderPass({
      colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', clearValue: [0.5, 0.55, 0.68, 1] }],
      depthStencilAttachment,
      ...(shadingRates ? { shadingRates } : {}),
    });
    scene.draw(pass, 0, shadingRates !== undefined);
    pass.end();
    device.queue.submit([encoder.finish()]);
  };
  frame(before, '1x1');
  const pictures = {};
  for (const kind of ['auto', 'image', '1x1']) {
    frame(after, kind);
    pictures[kind] = await readback(device, after);
  }
  const { pairs, ms, ratio } = await compare(
    Object.fromEntries(
      ['auto', 'image', '1x1'].map((kind) => [kind, frameOf(device, { render: () => frame(after, kind) })])
    ),
    { forMs, warmMs: 500, onPair: (n) => progress(0, 1, `forest, ${n} rounds`) }
  );
  const started = device.statistics().times;
  const timed = await frameOf(device, { render: () => frame(after, '1x1') })();
  const share = (device.statistics().times.shade - started.shade) / timed;
  device.destroy();
  say(`forest, ms a frame: auto ${ms.auto}, image ${ms.image}, 1x1 ${ms['1x1']}`);
  return [
    checkLimit('forest, share of shading at 1x1', [roundTo(3)(share)], { limit: 0.5, atLeast: true }),
    ...['auto', 'image'].flatMap((kind) => [
      checkLimit(`forest, ${kind} over 1x1, frame`, ratio(kind, '1x1'), {
        limit: FOREST.frame,
        sides: [kind, '1x1'],
        pairs,
        ms,
      }),
      checkLimit(`forest, ${kind}, SSIM`, [roundTo(3)(ssimOf(pictures[kind], pictures['1x1'], size))], {
        limit: FOREST.ssim,
        atLeast: true,
      }),
    ]),
  ];
}
