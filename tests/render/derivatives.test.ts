// Every derivative built-in, on a value that is curved in both directions, so that coarse and fine as well as x and y
// differ in every quad.
import { expect, test } from 'vitest';
import { openBuiltWith } from '../images/open';
import { BUFFER, TEXTURE } from '../images/scenes/kit';
import { GPUMapMode } from '../support/flags';

const SIZE = 8;
const ROW_BYTES = 256;
const value = (x: number, y: number): number => x * x + 3 * y * y + 5 * x * y;

/**
 * Possible results for the pixels of a quad: fine derivatives per row and column; coarse ones from one row and column
 * for all four.
 */
function quad(x: number, y: number): { dx: [number, number]; dy: [number, number] } {
  const [left, top] = [x & ~1, y & ~1];
  const across = (row: number): number => value(left + 1, row) - value(left, row);
  const down = (column: number): number => value(column, top + 1) - value(column, top);
  return { dx: [across(top), across(top + 1)], dy: [down(left), down(left + 1)] };
}

test.each(['', 'Coarse', 'Fine'])('dpdx, dpdy and fwidth with the suffix "%s"', async (kind) => {
  const device = await openBuiltWith([]);
  const module = device.createShaderModule({
    code: `
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
      return vec4f(f32(i & 1u) * 4 - 1, f32(i >> 1u) * 4 - 1, 0, 1);
    }
    @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4f {
      let q = floor(p.xy);
      let v = q.x * q.x + 3 * q.y * q.y + 5 * q.x * q.y;
      return vec4f(dpdx${kind}(v), dpdy${kind}(v), fwidth${kind}(v), fwidth${kind}(-v));
    }`,
  });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format: 'rgba32float' }] },
  });
  const texture = device.createTexture({
    size: [SIZE, SIZE],
    format: 'rgba32float',
    usage: TEXTURE.ATTACHMENT | TEXTURE.COPY_SRC,
  });
  const buffer = device.createBuffer({ size: ROW_BYTES * SIZE, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginRenderPass({
    colorAttachments: [{ view: texture.createView(), loadOp: 'clear', storeOp: 'store' }],
  });
  pass.setPipeline(pipeline);
  pass.draw(3);
  pass.end();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: ROW_BYTES }, [SIZE, SIZE]);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const pixels = new Float32Array(buffer.getMappedRange());
  for (let y = 0; y < SIZE; y++)
    for (let x = 0; x < SIZE; x++) {
      const at = y * (ROW_BYTES / 4) + x * 4;
      const [dx, dy, width, mirrored] = pixels.subarray(at, at + 4);
      const { dx: rows, dy: columns } = quad(x, y);
      // Without a suffix, an implementation may choose either, but consistently: here it is coarse.
      const fine = kind === 'Fine';
      expect([dx, dy], `${x}, ${y}`).toEqual([rows[fine ? y & 1 : 0], columns[fine ? x & 1 : 0]]);
      expect([width, mirrored]).toEqual([Math.abs(dx!) + Math.abs(dy!), Math.abs(dx!) + Math.abs(dy!)]);
    }
  device.destroy();
});
