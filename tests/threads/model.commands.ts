// Random commands of the model test: render passes, and copies within device memory.
import * as fc from 'fast-check';
import {
  BINDING_BYTES,
  BUFFERS,
  DEPTH,
  MULTISAMPLED,
  MULTISAMPLED_DEPTH,
  SINGLE_SAMPLED,
  slotsOf,
  TEXTURES,
  WIDE,
  type Box,
  type ColorAttachment,
  type Command,
  type Draw,
  type Pass,
  type TextureShape,
} from './model.calls';

export const upTo = (max: number): fc.Arbitrary<number> => fc.noBias(fc.nat({ max }));
export const one = <T>(...all: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...all);
/** Chooses `value` most of the time. */
const often = <T>(weight: number, value: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });
export const record = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;

export const dataSlot = one(...slotsOf('data'));
const binding = fc.tuple(
  dataSlot,
  upTo(7).map((n) => n * BINDING_BYTES)
);
export const seed = upTo(0xffff);

/** A part of a texture, from numbers between 0 and 1; small ones give the corner. */
const boxIn = (width: number, height: number): fc.Arbitrary<Box> =>
  fc
    .tuple(upTo(width - 1), upTo(height - 1), upTo(width - 1), upTo(height - 1))
    .map(([x, y, w, h]) => [x, y, 1 + (w % (width - x)), 1 + (h % (height - y))] as const);
const shape = (texture: number): TextureShape => TEXTURES[texture]!;
export const boxOf = (texture: number): fc.Arbitrary<Box> =>
  fc.oneof(
    boxIn(shape(texture).width, shape(texture).height),
    fc.constant<Box>([0, 0, shape(texture).width, shape(texture).height])
  );

const INDIRECT_WORDS = 5;
const indexOf = record<NonNullable<Draw['index']>>({
  buffer: dataSlot,
  at: one(0, 0, 64),
  format: one('uint16', 'uint32', 'uint32'),
  baseVertex: one(0, 0, 1, 40, -3),
});
/**
 * Few, so that the same part of an index buffer is drawn again with other indices: cached facts about it must be
 * invalidated.
 */
const INDEXED_PARTS = [
  [0, 24],
  [0, 24],
  [0, 12],
  [6, 18],
] as const;
const drawOn = (colors: readonly number[], used: readonly number[]): fc.Arbitrary<Draw> => {
  const { width, height, samples } = shape(colors[0]!);
  const free = SINGLE_SAMPLED.filter((texture) => !used.includes(texture));
  return record<Draw>({
    source: one('pulled', 'fetched'),
    topology: one('triangle-list', 'triangle-list', 'triangle-list', 'point-list'),
    effect: one('opaque', 'opaque', 'opaque', 'discard', 'texture'),
    // Saturated sums of the samples of a pixel have no exact mean.
    blend: often<Draw['blend']>(
      3,
      'none',
      samples === 1 ? one('add', 'subtract', 'reverse-subtract') : one('subtract', 'reverse-subtract')
    ),
    writeMask: often(4, 15, one(5, 2)),
    sampleMask: samples === 1 ? fc.constant(0xffffffff) : often(3, 0xffffffff, one(5, 6, 8)),
    depth: one('less', 'less', 'always'),
    uniform: binding,
    storage: binding,
    texture: one(...free),
    count: upTo(24),
    first: upTo(20),
    instances: often(3, 1, upTo(3)),
    firstInstance: often(3, 0, upTo(5)),
    vertices: fc.tuple(
      dataSlot,
      upTo(64).map((n) => n * 4)
    ),
    perInstance: fc.tuple(
      dataSlot,
      upTo(64).map((n) => n * 4)
    ),
    index: fc.option(indexOf),
    indirect: often<number | null>(
      3,
      null,
      upTo(256 / 4 - INDIRECT_WORDS).map((n) => n * 4)
    ),
    scissor: often<Box | null>(4, null, boxIn(width, height)),
  }).map((draw): Draw => {
    // Out-of-bounds vertices are not tested here: draw calls with indices or indirect counts pull their vertices.
    const pulled = draw.index !== null || draw.indirect !== null;
    // Integers are not blended.
    const blends = shape(colors[0]!).format === 'rgba8unorm';
    const [first, count] = draw.index ? INDEXED_PARTS[draw.first % INDEXED_PARTS.length]! : [draw.first, draw.count];
    return {
      ...draw,
      first,
      count,
      ...(pulled && { source: 'pulled' }),
      ...(!blends && { blend: 'none', writeMask: 15 }),
    };
  });
};

const storeOp = often<GPUStoreOp>(6, 'store', fc.constant('discard'));
/** The bytes of a clear value: multiples of 4, so that averages of four are integers. */
const clearWord = often<number | null>(
  1,
  null,
  fc.noBias(fc.integer({ min: 0, max: 0xffffffff })).map((word) => (word & 0xfcfcfcfc) >>> 0)
);

const pass: fc.Arbitrary<Command> = one([0], [0], [1], [2], [3], [0, 2], [4], [4], [5]).chain((textures) => {
  const { samples, width } = shape(textures[0]!);
  const resolve = samples === 1 ? fc.constant(null) : often<number | null>(1, null, fc.constant(0));
  const depthSlot = samples === 1 ? DEPTH : MULTISAMPLED_DEPTH;
  const depth =
    width !== shape(DEPTH).width
      ? fc.constant(null)
      : fc.option(
          record<NonNullable<Pass['depth']>>({
            texture: fc.constant(depthSlot),
            clear: often<number | null>(1, null, upTo(16)),
            store: storeOp,
          })
        );
  return record<Pass>({
    do: fc.constant('pass'),
    colors: fc.tuple(
      ...textures.map((texture) =>
        record<ColorAttachment>({ texture: fc.constant(texture), clear: clearWord, store: storeOp, resolve })
      )
    ),
    depth,
    draws: fc.array(drawOn(textures, samples === 1 ? textures : [0]), { maxLength: 6, size: 'max' }),
  });
});

/** Anywhere, or where draw calls look for indices and uniforms. */
export const partOf = (slot: number): fc.Arbitrary<{ readonly at: number; readonly bytes: number }> => {
  const count = BUFFERS[slot]!.size / 4;
  return fc.oneof(
    fc
      .tuple(upTo(count - 1), upTo(count - 1))
      .map(([at, length]) => ({ at: at * 4, bytes: (1 + (length % (count - at))) * 4 })),
    fc.constant({ at: 0, bytes: BINDING_BYTES })
  );
};
const copyBuffer: fc.Arbitrary<Command> = fc
  .oneof(
    fc.tuple(one(...slotsOf('data', 'upload', 'args')), one(...slotsOf('data', 'read', 'read'))),
    fc.constant([3, 3] as const)
  )
  .chain(([from, to]) =>
    fc.tuple(partOf(from), partOf(to)).map(([a, b]): Command => {
      // A buffer cannot be copied into itself: a clear replaces that.
      if (from === to) return { do: 'clear buffer', buffer: to, at: b.at, bytes: b.bytes };
      return { do: 'copy buffer', from, at: a.at, to, into: b.at, bytes: Math.min(a.bytes, b.bytes) };
    })
  );
const clearBuffer: fc.Arbitrary<Command> = one(...slotsOf('data', 'args', 'read')).chain((buffer) =>
  partOf(buffer).map((part): Command => ({ do: 'clear buffer', buffer, ...part }))
);

/** A box whose rows fit into this buffer, from an offset. */
function fitRows(
  buffer: number,
  at: number,
  wider: boolean,
  [x, y, width, height]: Box
): { readonly at: number; readonly pitch: number; readonly box: Box } | null {
  const pitch = Math.ceil((width * 4) / 256) * 256 + (wider ? 256 : 0);
  const room = BUFFERS[buffer]!.size - at - width * 4;
  if (room < 0) return null;
  return { at, pitch, box: [x, y, width, Math.min(height, Math.floor(room / pitch) + 1)] };
}
const textureCopy = (
  what: 'buffer to texture' | 'texture to buffer',
  buffers: readonly number[]
): fc.Arbitrary<Command> =>
  fc.tuple(one(...buffers), one(...SINGLE_SAMPLED), upTo(100), fc.boolean()).chain(([buffer, texture, at, wider]) =>
    boxOf(texture).map((box): Command => {
      const fitted = fitRows(buffer, at * 4, wider, box) ?? fitRows(buffer, 0, false, [box[0], box[1], 1, 1])!;
      return { do: what, buffer, texture, ...fitted };
    })
  );
const depthCopy: fc.Arbitrary<Command> = one(...slotsOf('read')).map((buffer): Command => ({
  do: 'texture to buffer',
  buffer,
  texture: DEPTH,
  at: 0,
  pitch: 1024,
  box: [0, 0, shape(DEPTH).width, shape(DEPTH).height],
}));
const copyTexture: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(one([0, 1], [1, 0], [2, 3], [3, 2]), fc.boolean())
      .chain(([[from, to]]) =>
        fc
          .tuple(boxOf(from!), boxOf(to!))
          .map(([[x, y, w, h], [X, Y, W, H]]): Command => ({
            do: 'copy texture',
            from: from!,
            box: [x, y, Math.min(w, W), Math.min(h, H)],
            to: to!,
            x: X,
            y: Y,
          }))
      ),
  },
  {
    weight: 1,
    arbitrary: one(...MULTISAMPLED).map((from): Command => ({
      do: 'copy texture',
      from,
      box: [0, 0, WIDE.width, WIDE.height],
      to: from === 4 ? 5 : 4,
      x: 0,
      y: 0,
    })),
  }
);

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: pass },
  { weight: 2, arbitrary: copyBuffer },
  { weight: 1, arbitrary: clearBuffer },
  { weight: 2, arbitrary: textureCopy('buffer to texture', slotsOf('data', 'upload')) },
  { weight: 3, arbitrary: textureCopy('texture to buffer', slotsOf('data', 'read', 'read')) },
  { weight: 1, arbitrary: depthCopy },
  { weight: 1, arbitrary: copyTexture }
);
export const list = fc.array(command, { minLength: 1, maxLength: 5 });
