// Shaders that send their results explicitly: random ones compared per sample with a simple interpreter of the same
// statements, and their counts.
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StatisticsDevice } from '../../src/index';
import { open } from './kit';
import { GPUMapMode } from '../support/flags';
import { rounds } from '../support/rounds';

const USAGE = { COPY_SRC: 1, SAMPLED: 4, ATTACHMENT: 16 } as const;
const BUFFER = { MAP_READ: 1, COPY_DST: 8 } as const;
const SIZE = 16;
const CLEAR = 7;
const engines = {
  compiled: { engine: 'jit', threads: 0 },
  interpreted: { engine: 'interpreter', threads: 0 },
  scalar: { simd: false, threads: 0 },
  'two workers': { threads: 2 },
} as const;

/** The pixel's hash is added to `mask` and `value`. `loop`: how many times it is sent, for i from 0. */
interface Send {
  readonly kind: 'send';
  readonly mask: number;
  readonly value: number;
  readonly loop: number;
}
interface Branch {
  readonly kind: 'if';
  readonly bit: number;
  readonly then: readonly Statement[];
}
interface Discard {
  readonly kind: 'discard';
  readonly bit: number;
}
type Statement = Send | Branch | Discard;
interface Scene {
  readonly samples: number;
  readonly edge: number;
  readonly reads: boolean;
  readonly staged: boolean;
  readonly statements: readonly Statement[];
}

const textOf = (statements: readonly Statement[]): string =>
  statements
    .map((statement) => {
      if (statement.kind === 'if') return `if ((hash & ${1 << statement.bit}) != 0) { ${textOf(statement.then)} }`;
      if (statement.kind === 'discard') return `if ((hash & 7) == ${statement.bit}) { discard; }`;
      const { mask, value, loop } = statement;
      if (loop === 0) return `dispatchSamples(${mask}u ^ (hash & 15), result(${value}u + hash + below));`;
      return `for (var i = 0u; i < ${loop}u + (hash & 1); i++) {
    dispatchSamples(${mask}u << i, result(${value}u + (hash + i) / 2 + below));
  }`;
    })
    .join('\n');

/**
 * The values that samples of a pixel receive. Samples without a value keep their contents. Null: the pixel was
 * discarded.
 */
function sent(
  statements: readonly Statement[],
  hash: number,
  below: number,
  samples: number,
  got: (number | undefined)[]
): boolean {
  const send = (mask: number, value: number): void => {
    for (let s = 0; s < samples; s++) if ((mask >>> s) & 1) got[s] ??= value & 1023;
  };
  let lives = true;
  for (const statement of statements) {
    if (statement.kind === 'if') {
      if ((hash >> statement.bit) & 1) lives = sent(statement.then, hash, below, samples, got) && lives;
    } else if (statement.kind === 'discard') {
      if ((hash & 7) === statement.bit) lives = false;
    } else if (statement.loop === 0) send(statement.mask ^ (hash & 15), statement.value + hash + below);
    else
      for (let i = 0; i < statement.loop + (hash & 1); i++)
        send(statement.mask << i, statement.value + ((hash + i) >> 1) + below);
  }
  return lives;
}

const hashOf = (x: number, y: number): number => (x * 5 + y * 3) & 31;

const send = fc.record({
  kind: fc.constant('send' as const),
  mask: fc.nat(0xffff),
  value: fc.nat(9),
  loop: fc.constantFrom(0, 0, 0, 1, 5),
});
const discarding = fc.record({ kind: fc.constant('discard' as const), bit: fc.nat(7) });
const statement: fc.Arbitrary<Statement> = fc.oneof(
  { weight: 5, arbitrary: send },
  { weight: 1, arbitrary: discarding },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('if' as const),
      bit: fc.nat(4),
      then: fc.array(send, { minLength: 1, maxLength: 3 }),
    }),
  }
);
const scenes: fc.Arbitrary<Scene> = fc
  .record({
    samples: fc.constantFrom(1, 2, 4, 4, 8, 16),
    edge: fc.nat(8),
    reads: fc.boolean(),
    staged: fc.boolean(),
    statements: fc.array(statement, { minLength: 1, maxLength: 5 }),
  })
  .filter(({ statements }) => statements.some(({ kind }) => kind !== 'discard'));

const codeOf = ({ reads, staged, statements }: Scene): string => `enable fragment_stages;
  struct Both { @location(0) a: u32, @location(1) b: vec2u }
  fn result(v: u32) -> Both { return Both(v & 1023, vec2u(v & 1, v >> 3)); }
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0.5, 1);
  }
  override edge: f32 = 0;
  @vertex fn left(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    let x = edge / 8 - 1;
    return vec4f(array(vec2f(x, 40), vec2f(-60, 0), vec2f(x, -40))[i], 0.5, 1);
  }
  @fragment fn fill() -> Both { return Both(3, vec2u()); }
  fn hashed(p: vec4f) -> u32 { let at = vec2u(p.xy); return (at.x * 5 + at.y * 3) & 31; }
  @fragment fn first(@builtin(position) p: vec4f) -> @link(0) u32 { return hashed(p); }
  @fragment fn fs(${staged ? '@link(0) hash: u32' : '@builtin(position) p: vec4f'},
    ${reads ? '@color(0) below: u32' : ''}) {
    ${staged ? '' : 'let hash = hashed(p);'}
    ${reads ? '' : 'let below = 0u;'}
    ${textOf(statements)}
  }`;

const READER = (samples: number): string =>
  `
  @group(0) @binding(0) var a: texture_${samples > 1 ? 'multisampled_' : ''}2d<u32>;
  @group(0) @binding(1) var b: texture_${samples > 1 ? 'multisampled_' : ''}2d<u32>;
  @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    return vec4f(f32(i & 1) * 4 - 1, f32(i >> 1) * 4 - 1, 0, 1);
  }
  @fragment fn fs(@builtin(position) p: vec4f) -> @location(0) vec4u {
    let at = vec2u(p.xy), sample = at.x / ${SIZE}, source = vec2u(at.x % ${SIZE}, at.y);
    return vec4u(textureLoad(a, source, sample).x, textureLoad(b, source, sample).xy, 0);
  }`
    .replace('let at = vec2u(p.xy), sample', 'let at = vec2u(p.xy); let sample')
    .replace(', source = vec2u', '; let source = vec2u');

describe.each(Object.entries(engines))('%s', (_, options) => {
  let device: StatisticsDevice;
  beforeAll(async () => {
    device = await open(options);
  });
  afterAll(() => device.destroy());

  async function draw(scene: Scene): Promise<{ texels: Uint32Array; counts: readonly number[] }> {
    const { samples, edge, staged } = scene;
    device.pushErrorScope('validation');
    const texture = (format: GPUTextureFormat): GPUTexture =>
      device.createTexture({
        size: [SIZE, SIZE],
        sampleCount: samples,
        format,
        usage: USAGE.ATTACHMENT | USAGE.SAMPLED,
      });
    const targets = [texture('r32uint'), texture('rg16uint')];
    const module = device.createShaderModule({ code: codeOf(scene) });
    const make = (entryPoint: string, fragment: object): GPURenderPipeline =>
      device.createRenderPipeline({
        layout: 'auto',
        multisample: { count: samples },
        vertex: { module, entryPoint, constants: entryPoint === 'left' ? { edge: edge + 0.5 } : {} },
        fragment: { module, targets: [{ format: 'r32uint' }, { format: 'rg16uint' }], ...fragment },
      });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: targets.map((view) => ({
        view,
        loadOp: 'clear',
        storeOp: 'store',
        clearValue: [CLEAR, 0, 0, 0],
      })),
    });
    pass.setPipeline(make('left', { entryPoint: 'fill' }));
    pass.draw(3);
    pass.setPipeline(
      make(
        'vs',
        staged
          ? {
              stages: [
                { entryPoint: 'first', rate: 'pixel' },
                { entryPoint: 'fs', rate: 'sample' },
              ],
            }
          : { entryPoint: 'fs' }
      )
    );
    pass.draw(3);
    pass.end();
    const before = device.statistics().counters;
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    const now = device.statistics().counters;
    const texels = await read(targets, samples);
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    for (const target of targets) target.destroy();
    return { texels, counts: [now.dispatches! - before.dispatches!, now.mergedDispatches! - before.mergedDispatches!] };
  }

  async function read(textures: readonly GPUTexture[], samples: number): Promise<Uint32Array> {
    const size = [SIZE * samples, SIZE];
    const bytesPerRow = SIZE * samples * 16;
    const buffer = device.createBuffer({ size: bytesPerRow * SIZE, usage: BUFFER.MAP_READ | BUFFER.COPY_DST });
    const module = device.createShaderModule({ code: READER(samples) });
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      vertex: { module },
      fragment: { module, targets: [{ format: 'rgba32uint' }] },
    });
    const picture = device.createTexture({ size, format: 'rgba32uint', usage: USAGE.ATTACHMENT | USAGE.COPY_SRC });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({ colorAttachments: [{ view: picture, loadOp: 'clear', storeOp: 'store' }] });
    pass.setPipeline(pipeline);
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: textures.map((texture, binding) => ({ binding, resource: texture.createView() })),
      })
    );
    pass.draw(3);
    pass.end();
    encoder.copyTextureToBuffer({ texture: picture }, { buffer, bytesPerRow }, size);
    device.queue.submit([encoder.finish()]);
    await buffer.mapAsync(GPUMapMode.READ);
    const texels = new Uint32Array(buffer.getMappedRange()).slice();
    for (const resource of [picture, buffer]) resource.destroy();
    return texels;
  }

  /** Samples with x below the edge hold the fill value. */
  function expected({ samples, edge, reads, statements }: Scene, filled: Uint32Array): Uint32Array {
    const texels = filled.slice();
    for (let y = 0; y < SIZE; y++)
      for (let x = 0; x < SIZE; x++) {
        const at = (s: number): number => (y * SIZE * samples + s * SIZE + x) * 4;
        for (const below of [CLEAR, 3]) {
          const got: (number | undefined)[] = [];
          if (!sent(statements, hashOf(x, y), reads ? below : 0, samples, got)) continue;
          for (let s = 0; s < samples; s++) {
            if (filled[at(s)] !== below || got[s] === undefined) continue;
            const value = got[s]!;
            texels.set([value, value & 1, value >> 3], at(s));
          }
        }
      }
    expect(edge).toBeLessThan(9);
    return texels;
  }

  test('random shaders give each sample the first value sent to it', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(scenes, async (scene) => {
        const nothing = await draw({ ...scene, statements: [{ kind: 'send', mask: 0, value: 0, loop: 1 }] });
        const { texels } = await draw(scene);
        expect(texels).toEqual(expected(scene, nothing.texels));
      }),
      { numRuns: rounds(20), seed: 20 }
    );
  });

  const PIXELS = SIZE * SIZE;
  const base = { samples: 4, edge: 8, reads: false, staged: false };
  const one = (mask: number, value: number): Send => ({ kind: 'send', mask, value, loop: 0 });
  /** With hash 0 only: the values do not depend on it. */
  const counted = async (statements: readonly Statement[], rest: Partial<Scene> = {}): Promise<readonly number[]> =>
    (await draw({ ...base, ...rest, statements })).counts;

  test('each dispatch counts, and equal values count once', async () => {
    const loop = (mask: number, times: number): Send => ({ kind: 'send', mask, value: 0, loop: times });
    // To all samples, whatever the hash: its last bit determines the number of times.
    expect(await counted([loop(15, 1)])).toEqual([PIXELS, 0]);
    // Sample by sample, hash / 2 + i / 2: of four samples, two and two are equal.
    const pairs = await counted([loop(1, 4)]);
    expect(pairs[0]! + pairs[1]!).toBe(4 * PIXELS);
    expect(pairs[1]).toBeGreaterThan(PIXELS);
    // Each pixel is in two sets where the edge crosses it.
    expect(await counted([loop(15, 1)], { reads: true })).toEqual([PIXELS + SIZE, 0]);
    // Of 32 hashes, 15 and 31 send to none: 16 pixels. The second sends to the same samples as the first.
    expect(await counted([one(15, 1), one(0xffff, 1)])).toEqual([PIXELS - 16, 0]);
  });
});
