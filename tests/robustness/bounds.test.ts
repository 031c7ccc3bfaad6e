// No access leaves its resource. Accesses just beyond and far outside of each kind of resource are tested between
// neighbors in device memory, which hold a word that no resource contains. Results are from the resource or 0; the
// neighbors stay unchanged, on every engine.
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { create } from '../../src/index';
import { forCreate } from '../support/options';
import { engines, KERNELS, read, USAGE } from '../compute/kit';
import { CANARY, compute, COUNT, drawn, FAR, fenced, fencedTexture, numbers, within } from './bounds.kit';
import { GPUTextureUsage } from '../support/flags';

describe.each(Object.keys(engines))('%s', (name) => {
  let device: GPUDevice;
  beforeAll(async () => {
    const gpu = create(
      forCreate({ ...engines[name], kernelUrl: KERNELS, workerUrl: pathToFileURL('build/worker.mjs') })
    );
    device = await (await gpu.requestAdapter())!.requestDevice({ requiredFeatures: ['indirect-first-instance'] });
    device.pushErrorScope('validation');
  });
  afterAll(async () => {
    expect((await device.popErrorScope())?.message).toBeUndefined();
    device.destroy();
  });

  test('uniform and storage buffers: elements, members, components, columns', async () => {
    const words = numbers(64);
    const uniform = fenced(device, words, USAGE.UNIFORM);
    const storage = fenced(device, words, USAGE.STORAGE);
    const found = await compute(
      device,
      `
      struct Item { a: u32, b: vec3u, c: array<vec2u, 2> }
      @group(0) @binding(0) var<uniform> uniforms: array<vec4u, 8>;
      @group(0) @binding(1) var<storage> items: array<Item>;
      @group(0) @binding(2) var<storage> sized: array<mat2x2f, 4>;`,
      `
      let i = i32(far);
      out[k] = array(
        uniforms[far].x, uniforms[7][far], uniforms[i].w, items[far].a, items[i].b.z, items[1].b[far],
        items[far].c[far].y, bitcast<u32>(sized[far][1].y), bitcast<u32>(sized[3][far].x),
        bitcast<u32>(sized[i][i][i])
      );`,
      [
        { buffer: uniform.buffer, offset: 0, size: 128 },
        { buffer: storage.buffer },
        { buffer: storage.buffer, size: 64 },
      ],
      10
    );
    expect(found.filter((word) => word !== 0).length).toBeGreaterThan(COUNT);
    // The bindings of 128 and 64 bytes are smaller than their buffers.
    for (let k = 0; k < COUNT; k++) {
      within(found.subarray(10 * k, 10 * k + 3), words.subarray(0, 32));
      within(found.subarray(10 * k + 3, 10 * k + 7), words);
      within(found.subarray(10 * k + 7, 10 * k + 10), words.subarray(0, 16));
    }
    await uniform.check();
    await storage.check();
  });

  test('storage buffers, written and changed atomically', async () => {
    const plain = fenced(device, numbers(64), USAGE.STORAGE);
    const atomic = fenced(device, numbers(64), USAGE.STORAGE);
    const found = await compute(
      device,
      `
      struct Item { a: u32, b: vec3u }
      @group(0) @binding(0) var<storage, read_write> items: array<Item>;
      @group(0) @binding(1) var<storage, read_write> counts: array<atomic<u32>>;`,
      `
      items[far].a = 1; items[i32(far)].b = vec3u(2); items[0].b[far] = 3;
      out[k] = array(atomicAdd(&counts[far], 0u), atomicExchange(&counts[i32(far)], 7u),
        atomicCompareExchangeWeak(&counts[far], 7u, 8u).old_value, atomicLoad(&counts[far]));
      atomicStore(&counts[far], 9);`,
      [
        { buffer: plain.buffer, offset: 0, size: 128 },
        { buffer: atomic.buffer, offset: 0, size: 128 },
      ],
      4
    );
    within(found, [...numbers(32), 7, 8, 9]);
    // The rest of each buffer, after its binding, is unchanged, too.
    for (const { buffer, check } of [plain, atomic]) {
      expect((await read(device, buffer)).subarray(32)).toEqual(numbers(64).subarray(32));
      await check();
    }
  });

  test('private, function and workgroup variables, read and written', async () => {
    // The variables before and after are unchanged.
    const found = await compute(
      device,
      `
      var<private> before: array<u32, 4> = array(11u, 11u, 11u, 11u);
      var<private> mine: array<u32, 4> = array(1u, 2u, 3u, 4u);
      var<private> behind: array<u32, 4> = array(11u, 11u, 11u, 11u);
      var<workgroup> fence: array<u32, 4>; var<workgroup> shared_: array<u32, 4>; var<workgroup> rear: array<u32, 4>;`,
      `
      var first = array(12u, 12u); var own = array(vec2u(1, 2), vec2u(3, 4)); var last = array(12u, 12u);
      let r = array(mine[far], own[far].x, own[1][far], shared_[far]);
      mine[far] = 5; own[far] = vec2u(6); own[0][far] = 7; shared_[far] = 8;
      var value = vec4u(1, 2, 3, 4); value[far] = 9;
      let m = mat2x2f(1, 2, 3, 4);
      let sums = array(
        before[0] + before[3] + behind[0] + behind[3], first[0] + first[1] + last[0] + last[1],
        fence[0] + fence[3] + rear[0] + rear[3], bitcast<u32>(m[far][0])
      );
      out[k] = array(r[0], r[1], r[2], r[3], sums[0], sums[1], sums[2], sums[3]);`,
      [],
      8,
      1
    );
    const floats = new Uint32Array(Float32Array.of(1, 3).buffer);
    for (let k = 0; k < COUNT; k++) {
      within(found.subarray(8 * k, 8 * k + 3), [1, 2, 3, 4]);
      expect([...found.subarray(8 * k + 3, 8 * k + 7)]).toEqual([0, 44, 48, 0]);
      within([found[8 * k + 7]!], floats);
    }
  });

  const volume = (layers: number, levels: number): [number[], Uint32Array<ArrayBuffer>] => [
    [4, 4, layers],
    numbers(16 * layers * levels),
  ];
  test('texture loads: coordinates, levels, layers, slices', async () => {
    const [size, words] = volume(2, 2);
    const filled = (dimension: GPUTextureDimension) =>
      fencedTexture(
        device,
        {
          size,
          dimension,
          format: 'r32uint',
          usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
          mipLevelCount: 2,
        },
        (texture) => {
          device.queue.writeTexture({ texture }, words, { bytesPerRow: 16, rowsPerImage: 4 }, size);
          const small = [2, 2, dimension === '3d' ? 1 : 2];
          const rest = words.subarray(32);
          device.queue.writeTexture({ texture, mipLevel: 1 }, rest, { bytesPerRow: 8, rowsPerImage: 2 }, small);
        }
      );
    const array = filled('2d');
    const solid = filled('3d');
    const line = fencedTexture(
      device,
      {
        size: [8],
        dimension: '1d',
        format: 'r32uint',
        usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST,
      },
      (texture) => device.queue.writeTexture({ texture }, words.subarray(0, 8), {}, [8])
    );
    const found = await compute(
      device,
      `
      @group(0) @binding(0) var layers: texture_2d_array<u32>;
      @group(0) @binding(1) var solid: texture_3d<u32>;
      @group(0) @binding(2) var line: texture_1d<u32>;
      @group(0) @binding(3) var level: texture_2d<u32>;`,
      `
      let i = i32(far);
      out[k] = array(
        textureLoad(layers, vec2u(far, 1), 0, 0).x, textureLoad(layers, vec2i(1, i), 1, 1).x,
        textureLoad(layers, vec2u(1, 1), far, 0).x, textureLoad(layers, vec2u(1, 1), i, 0).x,
        textureLoad(layers, vec2u(1, 1), 0, far).x, textureLoad(layers, vec2u(far), far, far).x,
        textureLoad(solid, vec3u(1, 1, far), 0).x, textureLoad(solid, vec3i(i, 0, i), 1).x,
        textureLoad(solid, vec3u(0), far).x, textureLoad(line, far, 0).x, textureLoad(line, i, i).x,
        textureLoad(level, vec2i(i, -1), 0).x, textureLoad(level, vec2u(0), far).x, textureDimensions(layers, far).x
      );`,
      [
        array.texture.createView(),
        solid.texture.createView(),
        line.texture.createView(),
        array.texture.createView({
          dimension: '2d',
          baseMipLevel: 1,
          mipLevelCount: 1,
          baseArrayLayer: 1,
          arrayLayerCount: 1,
        }),
      ],
      14
    );
    for (let k = 0; k < COUNT; k++) {
      within(found.subarray(14 * k, 14 * k + 9), words);
      within(found.subarray(14 * k + 9, 14 * k + 11), words.subarray(0, 8));
      // A view of one level and one layer reveals nothing of others.
      within(found.subarray(14 * k + 11, 14 * k + 13), words.subarray(36, 40));
      within([found[14 * k + 13]!], [1, 2, 4]);
    }
    for (const each of [array, solid, line]) await each.check();
  });

  test('texture sampling: levels and layers, at non-finite coordinates', async () => {
    const size = [4, 4, 2];
    const colours = Uint8Array.from({ length: 32 }, (_, k) => 100 + k);
    const array = fencedTexture(
      device,
      { size, format: 'r8unorm', usage: GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST },
      (texture) => device.queue.writeTexture({ texture }, colours, { bytesPerRow: 4, rowsPerImage: 4 }, size)
    );
    const found = await compute(
      device,
      `
      @group(0) @binding(0) var layers: texture_2d_array<f32>;
      @group(0) @binding(1) var s: sampler;
      fn byte(x: f32) -> u32 { return u32(round(x * 255)); }`,
      `
      let i = i32(far); let odd = bitcast<f32>(far); let large = f32(far) * 1e30;
      out[k] = array(
        byte(textureSampleLevel(layers, s, vec2f(0.5), far, 0).x),
        byte(textureSampleLevel(layers, s, vec2f(0.5), i, large).x),
        byte(textureSampleLevel(layers, s, vec2f(odd, -odd), 1, odd).x),
        byte(textureSampleLevel(layers, s, vec2f(large, odd), i, -large).x),
        byte(textureGather(0, layers, s, vec2f(odd, large), far).y),
        byte(textureSampleGrad(layers, s, vec2f(odd), i, vec2f(odd), vec2f(large)).x)
      );`,
      [array.texture.createView(), device.createSampler({ addressModeU: 'repeat', addressModeV: 'mirror-repeat' })],
      6
    );
    within(found, colours);
    expect(found.filter((word) => word !== 0).length).toBeGreaterThan(COUNT);
    await array.check();
  });

  test('storage textures, read and written: coordinates and layers', async () => {
    const [size, words] = volume(2, 1);
    const filled = (dimension: GPUTextureDimension) =>
      fencedTexture(
        device,
        {
          size,
          dimension,
          format: 'r32uint',
          usage: GPUTextureUsage.STORAGE_BINDING | GPUTextureUsage.COPY_DST | GPUTextureUsage.COPY_SRC,
        },
        (texture) => device.queue.writeTexture({ texture }, words, { bytesPerRow: 16, rowsPerImage: 4 }, size)
      );
    const array = filled('2d');
    const solid = filled('3d');
    const found = await compute(
      device,
      `
      @group(0) @binding(0) var layers: texture_storage_2d_array<r32uint, read_write>;
      @group(0) @binding(1) var solid: texture_storage_3d<r32uint, read_write>;`,
      `
      let i = i32(far);
      textureStore(layers, vec2u(far, 1), 0, vec4u(${CANARY}u));
      textureStore(layers, vec2i(1, i), i, vec4u(${CANARY}u));
      textureStore(layers, vec2u(1, 1), far, vec4u(${CANARY}u));
      textureStore(solid, vec3u(1, 1, far), vec4u(${CANARY}u));
      textureStore(solid, vec3i(i, i, 0), vec4u(${CANARY}u));
      out[k] = array(
        textureLoad(layers, vec2u(far, 0), far).x, textureLoad(layers, vec2i(i, i), 0).x,
        textureLoad(solid, vec3u(far, 0, far)).x
      );`,
      [array.texture.createView({ dimension: '2d-array' }), solid.texture.createView()],
      3
    );
    within(found, words);
    // An out-of-bounds store does nothing: all contents are unchanged.
    for (const { texture, check } of [array, solid]) {
      const buffer = device.createBuffer({ size: 256 * 8, usage: USAGE.COPY_DST | USAGE.COPY_SRC });
      const encoder = device.createCommandEncoder();
      encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256, rowsPerImage: 4 }, size);
      device.queue.submit([encoder.finish()]);
      const left = await read(device, buffer);
      for (let row = 0; row < 8; row++)
        expect(left.subarray(64 * row, 64 * row + 4)).toEqual(words.subarray(4 * row, 4 * row + 4));
      await check();
    }
  });

  test('multisampled textures: coordinates and samples', async () => {
    const { texture, check } = fencedTexture(
      device,
      {
        size: [4, 4],
        format: 'r16uint',
        sampleCount: 4,
        usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING,
      },
      () => undefined
    );
    const encoder = device.createCommandEncoder();
    encoder
      .beginRenderPass({
        colorAttachments: [
          { view: texture.createView(), loadOp: 'clear', clearValue: [77, 0, 0, 0], storeOp: 'store' },
        ],
      })
      .end();
    device.queue.submit([encoder.finish()]);
    const found = await compute(
      device,
      '@group(0) @binding(0) var picture: texture_multisampled_2d<u32>;',
      `
      let i = i32(far);
      out[k] = array(textureLoad(picture, vec2u(1), far).x, textureLoad(picture, vec2i(1), i).x,
        textureLoad(picture, vec2u(far, 0), 0).x, textureLoad(picture, vec2i(i, i), i).x,
        textureLoad(picture, vec2u(far % 4, 3), far % 4).x);`,
      [texture.createView()],
      5
    );
    within(found, [77]);
    // The last one is in bounds.
    for (let k = 0; k < COUNT; k++) expect(found[5 * k + 4]).toBe(77);
    await check();
  });

  /** Eight vertices of four words; the buffer has as many again after the bound range. */
  const attributes = (): Uint32Array<ArrayBuffer> => Uint32Array.from({ length: 64 }, (_, k) => 1 + k);
  // The last component is twice that of the vertex.
  const known = [
    ...attributes().subarray(0, 32),
    ...attributes()
      .subarray(0, 32)
      .map((word) => 2 * word),
  ];

  test('indices beyond the vertices, base vertices that wrap', async () => {
    const vertices = fenced(device, attributes(), 32);
    const indices = fenced(device, Uint32Array.from(FAR), 16);
    for (const baseVertex of [0, 1, -1, -8, 0x7fffffff, -0x80000000])
      within(
        await drawn(device, vertices.buffer, (pass) => {
          pass.setIndexBuffer(indices.buffer, 'uint32');
          pass.drawIndexed(COUNT, 1, 0, baseVertex);
        }),
        known
      );
    await vertices.check();
    await indices.check();
  });

  test('indices beyond their buffer, by an indirect draw', async () => {
    const vertices = fenced(device, attributes(), 32);
    const indices = fenced(device, Uint32Array.of(1, 2, 3, 4, 5, 6, 7, 1, 6, 6, 6, 6), 16);
    for (const [count, first] of [
      [8, 0],
      [9, 0],
      [8, 4],
      [4, 8],
      [4, 0xfffffffe],
      [4, 0x40000000],
      [64, 0],
    ]) {
      const words = Uint32Array.of(count!, 1, first!, 0, 0);
      const indirect = fenced(device, words, USAGE.INDIRECT);
      within(
        await drawn(device, vertices.buffer, (pass) => {
          // Eight indices of the buffer's twelve.
          pass.setIndexBuffer(indices.buffer, 'uint32', 0, 32);
          pass.drawIndexedIndirect(indirect.buffer, 0);
        }),
        known
      );
      await indirect.check();
    }
    await vertices.check();
    await indices.check();
  });

  test('vertices and instances beyond their buffer, by an indirect draw', async () => {
    const vertices = fenced(device, attributes(), 32);
    for (const [count, instances, firstVertex, firstInstance] of [
      [9, 1, 0, 0],
      [64, 1, 0, 0],
      [8, 1, 1, 0],
      [4, 1, 0xfffffffe, 0],
      [4, 1, 0x7fffffff, 0],
      [2, 9, 0, 0],
      [1, 4, 0, 8],
      [1, 4, 0, 0xfffffffe],
      [1, 4, 0, 0x10000000],
      [3, 3, 0x10000000, 0x0fffffff],
    ])
      for (const stepMode of ['vertex', 'instance'] as const) {
        const indirect = fenced(
          device,
          Uint32Array.of(count!, instances!, firstVertex!, firstInstance!),
          USAGE.INDIRECT
        );
        within(
          await drawn(device, vertices.buffer, (pass) => pass.drawIndirect(indirect.buffer, 0), 64, stepMode),
          known
        );
        await indirect.check();
      }
    await vertices.check();
  });
});
