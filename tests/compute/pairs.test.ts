// Latency-bound loops, for which compiled shaders run two quads at a time. Workgroups have even and odd numbers of
// quads, and rows of one quad and of two, on every engine, compared with plain JavaScript.
import { expect, test, describe } from 'vitest';
import { deviceOf, engines, run } from './kit';

const WIDTH = 24;
const HEIGHT = 12;
const { fround } = Math;

/** Iterations of z² + c at a pixel, limited by its row and column, and how often y decreased. */
function roundsAt(x: number, y: number): [number, number] {
  const cx = fround(fround(x / 8) - 2);
  const cy = fround(fround(y / 8) - 0.75);
  let a = 0;
  let b = 0;
  let k = 0;
  let falls = 0;
  while (k < 20 + y && fround(fround(a * a) + fround(b * b)) < 4) {
    const next = fround(fround(fround(a * a) - fround(b * b)) + cx);
    const before = b;
    b = fround(fround(fround(2 * a) * b) + cy);
    a = next;
    if (b < before) falls += 3;
    k++;
  }
  return [k, falls];
}

describe.each(Object.keys(engines))('%s', (name) => {
  test.each([
    [8, 4],
    [4, 3],
    [12, 1],
    [2, 2],
    [3, 1],
    [24, 12 / 3],
    [1, 4],
  ])('workgroups of %i × %i', async (x, y) => {
    const [found] = await run(await deviceOf(name), {
      wgsl: `
        @group(0) @binding(0) var<storage, read_write> out: array<vec2u>;
        @compute @workgroup_size(${x}, ${y}) fn main(@builtin(global_invocation_id) id: vec3u) {
          let c = vec2f(id.xy) / 8 - vec2f(2, 0.75);
          var z = vec2f(); var k = 0u; var falls = 0u;
          while (k < 20 + id.y && dot(z, z) < 4) {
            let before = z.y;
            z = vec2f(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
            if (z.y < before) { falls += 3; }
            k++;
          }
          out[id.y * ${WIDTH} + id.x] = vec2u(k, falls);
        }`,
      buffers: [new Uint32Array(WIDTH * HEIGHT * 2)],
      groups: [WIDTH / x, HEIGHT / y],
    });
    const wanted = Array.from({ length: WIDTH * HEIGHT }, (_, i) => roundsAt(i % WIDTH, Math.floor(i / WIDTH))).flat();
    expect([...found!]).toEqual(wanted);
  });
});
