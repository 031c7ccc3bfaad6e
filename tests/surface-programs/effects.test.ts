// Which invocations store to surfaces and load from them: covered ones that are neither occluded before the shader nor
// discarded.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { emptyPass, open, samplesOf, SIZE, surface, USAGE, vertices, VERTEX, VERTICES, type Triangle } from './kit';

const TRIANGLES: readonly Triangle[] = [
  { corners: [-0.9, -0.8, 0.9, -0.5, -0.2, 0.93], color: [1, 0, 0, 1] },
  { corners: [-0.3, -1, 1, 1, -1, 0.4], color: [1, 0, 0, 1] },
];

interface Drawn {
  readonly code: string;
  readonly depth?: boolean;
  readonly access?: 'write' | 'read_write';
  readonly triangles?: readonly Triangle[];
}

const engines = { 'the interpreter': { engine: 'interpreter' }, 'compiled programs': { engine: 'jit' } } as const;
for (const [engine, options] of Object.entries(engines)) {
  describe(`surface accesses, with ${engine}`, () => {
    let device: StatisticsDevice;
    beforeAll(async () => {
      device = await open({ ...options, threads: 0 });
    });
    afterAll(() => device.destroy());

    /** What a shader stores to an r32uint surface, a word per sample: image after image, `row` by `row`. */
    async function stored({
      code,
      depth = false,
      access = 'write',
      triangles = TRIANGLES,
    }: Drawn): Promise<Uint32Array> {
      const module = device.createShaderModule({
        code: `enable multisample_storage_textures;
          @group(0) @binding(0) var s: texture_storage_multisampled_2d<r32uint, ${access}>; ${VERTEX}
          @fragment fn fs(corner: Corner, @builtin(sample_mask) coverage: u32) {
            let at = vec2u(corner.position.xy); ${code}
          }`,
      });
      const depthStencil = { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' } as const;
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: { module, buffers: [VERTICES] },
        fragment: { module, targets: [] },
        multisample: { count: 4 },
        ...(depth ? { depthStencil } : {}),
      });
      const texture = surface(device, 'r32uint');
      const view = device.createTexture({
        size: [SIZE, SIZE],
        sampleCount: 4,
        format: 'depth32float',
        usage: USAGE.ATTACHMENT,
      });
      const encoder = device.createCommandEncoder();
      const pass = encoder.beginRenderPass(
        depth
          ? {
              colorAttachments: [],
              depthStencilAttachment: { view, depthClearValue: 1, depthLoadOp: 'clear', depthStoreOp: 'discard' },
            }
          : emptyPass('effects')
      );
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries: [{ binding: 0, resource: texture }] })
      );
      pass.setVertexBuffer(0, vertices(device, triangles));
      pass.draw(3 * triangles.length);
      pass.end();
      device.queue.submit([encoder.finish()]);
      return new Uint32Array((await samplesOf(device, texture)).buffer);
    }

    const at = (words: Uint32Array, x: number, y: number, sample: number): number =>
      words[(y * 4 + sample) * SIZE + x]!;
    const everySample = function* (): Iterable<readonly [number, number, number]> {
      for (let y = 0; y < SIZE; y++)
        for (let x = 0; x < SIZE; x++) for (let sample = 0; sample < 4; sample++) yield [x, y, sample];
    };
    const ADD = `
      for (var left = coverage; left != 0;) {
        let k = textureLoadSamples(s, at, left); textureStoreSamples(s, at, k.mask & left, vec4u(k.value.x + 1));
        left &= ~k.mask;
      }
    `;

    test('only covered samples are stored to, also if helper invocations run', async () => {
      const direct = await stored({ code: 'textureStoreSamples(s, at, coverage, vec4u(7));' });
      const derived = await stored({
        code: `
          let d = dpdx(corner.position.x);
          if (d > 0.5) {
            textureStoreSamples(s, at, coverage | u32(d - 1), vec4u(7));
          } else { textureStoreSamples(s, at, 15, vec4u(9)); }
        `,
      });
      expect(direct.filter((word) => word === 7).length).toBeGreaterThan(2000);
      expect(derived).toEqual(direct);
    });

    test('a discarded lane stores nothing more, but its loops end', async () => {
      const words = await stored({
        code: 'if ((at.x & 1) == 1) { discard; } textureStoreSamples(s, at, coverage, vec4u(1)); ',
      });
      const late = await stored({
        code:
          'textureStoreSamples(s, at, coverage, vec4u(1)); if ((at.x & 1) == 1) { discard; '
          + '} textureStoreSamples(s, at, coverage, vec4u(2));',
      });
      const looped = await stored({
        access: 'read_write',
        triangles: TRIANGLES.slice(0, 1),
        code: `if ((at.x & 1) == 1) { discard; } ${ADD}`,
      });
      const all = await stored({ code: 'textureStoreSamples(s, at, coverage, vec4u(1));' });
      const one = await stored({
        triangles: TRIANGLES.slice(0, 1),
        code: 'textureStoreSamples(s, at, coverage, vec4u(1));',
      });
      let wrong = 0;
      for (const [x, y, sample] of everySample()) {
        const odd = x & 1;
        const covered = at(all, x, y, sample);
        if (at(words, x, y, sample) !== (odd ? 0 : covered) || at(late, x, y, sample) !== covered * (odd ? 1 : 2))
          wrong++;
        if (at(looped, x, y, sample) !== (odd ? 0 : at(one, x, y, sample))) wrong++;
      }
      expect(wrong).toBe(0);
    });

    test('triangles take effect in order, each over the previous ones', async () => {
      const triangles = Array.from({ length: 40 }, (_, i): Triangle => ({
        corners: [-1, -1, 1, -1, -1 + i / 20, 1],
        color: [0, 0, 0, 0],
      }));
      const counted = await stored({ access: 'read_write', triangles, code: ADD });
      const few = await stored({ access: 'read_write', triangles: triangles.slice(0, 20), code: ADD });
      expect(Math.max(...counted)).toBe(40);
      expect(Math.max(...few)).toBe(20);
      // Many of one quad, so that one warp could hold them.
      const small = Array.from({ length: 40 }, (): Triangle => ({
        corners: [-0.75, 0.7, -0.69, 0.7, -0.75, 0.76],
        color: [0, 0, 0, 0],
      }));
      expect(Math.max(...(await stored({ access: 'read_write', triangles: small, code: ADD })))).toBe(40);
    });

    test('fragments that fail the early depth test do not store', async () => {
      const words = await stored({
        depth: true,
        access: 'read_write',
        triangles: [TRIANGLES[0]!, TRIANGLES[0]!],
        code: ADD,
      });
      expect(Math.max(...words)).toBe(1);
    });

    test('single samples, and sizes', async () => {
      const words = await stored({
        access: 'read_write',
        code: `
        let size = textureDimensions(s);
        textureStoreSamples(s, at, 4, vec4u(size.x * 10000 + size.y * 100 + textureNumSamples(s)));
        let third = textureLoadSample(s, at, 2);
        let others = textureLoadSample(s, at, u32(corner.color.r) - 1);
        textureStoreSamples(s, at, 1 << 3, vec4u(third.mask | (third.value.x << 4) | (others.mask << 28)));`,
      });
      const mixed = [...everySample()].filter(([x, y, sample]) => sample === 3 && at(words, x, y, 3) !== 0);
      expect(mixed.length).toBeGreaterThan(500);
      // The second of two triangles at a pixel reads the word of the first at sample 3.
      for (const [x, y] of mixed) {
        expect(at(words, x, y, 2)).toBe(SIZE * 10000 + SIZE * 100 + 4);
        expect(at(words, x, y, 3) & 0x0fffffff).toBe(4 | ((SIZE * 10000 + SIZE * 100 + 4) << 4));
        expect([0b1011, 0b0011]).toContain(at(words, x, y, 3) >>> 28);
      }
    });

    test.each([
      [
        'outside',
        'textureStoreSamples(s, at + vec2u(1000, 0), coverage, vec4u(1));',
        /an access|accesses by shaders were ignored.*pixel \(10\d\d, \d+\) is outside the 80×80 texture/,
      ],
      [
        'outside, in a loop over what is left',
        'for (var left = coverage; left != 0;) { let k = textureLoadSamples(s, vec2i(-1, 5), left); left &= ~k.mask; }',
        /pixel \(-1, 5\) is outside the 80×80 texture/,
      ],
      [
        'an empty mask',
        'textureStoreSamples(s, at, coverage & u32(corner.color.g), vec4u(1));',
        /at pixel \(\d+, \d+\), the sample mask was 0/,
      ],
      [
        'samples that are not there',
        'textureStoreSamples(s, at, coverage << u32(corner.color.a * 4), vec4u(1));',
        /the sample mask 0x[1-9a-f]0 has bits beyond the 4 samples of the texture/,
      ],
    ])('a fault is reported after the pass: %s', async (_, code, message) => {
      const before = device.statistics().counters['surfaceFaults']!;
      const told: GPUError[] = [];
      const listen = (event: Event): void => {
        told.push((event as GPUUncapturedErrorEvent).error);
      };
      device.addEventListener('uncapturederror', listen);
      device.pushErrorScope('validation');
      const words = await stored({ code, access: 'read_write' });
      await new Promise((turn) => setTimeout(turn, 0));
      expect(await device.popErrorScope()).toBeNull();
      device.removeEventListener('uncapturederror', listen);
      expect(words.every((word) => word === 0)).toBe(true);
      expect(device.statistics().counters['surfaceFaults']).toBeGreaterThan(before + 100);
      expect(told.map((error) => error.constructor.name)).toEqual(['GPUValidationError']);
      expect(told[0]!.message).toMatch(/^render pass "effects": \[Texture "the r32uint"\]: /);
      expect(told[0]!.message).toMatch(message);
    });
  });
}
