// Random programs of API calls for the model test, as data that a failure can print. Every number is valid, because
// slots of buffers and textures have fixed shapes. Calls are rejected only for resources that are mapped or destroyed
// at that moment.
import * as fc from 'fast-check';
import { GPUTextureUsage } from '../support/flags';

type Role = 'data' | 'args' | 'upload' | 'read';
interface BufferShape {
  readonly role: Role;
  readonly size: number;
  readonly usage: number;
}
const DATA = 4 | 8 | 16 | 32 | 64 | 128;
const ARGS = 4 | 8 | 256;
const UPLOAD = 2 | 4;
const READ = 1 | 8;
const data: BufferShape = { role: 'data', size: 2048, usage: DATA };
const upload: BufferShape = { role: 'upload', size: 1024, usage: UPLOAD };
/** Large enough for the widest picture, with rows of 1024 bytes. */
const read: BufferShape = { role: 'read', size: 70 * 1024, usage: READ };
/**
 * Words of `args` are always small numbers, so that indirect draws are small: buffers with other words are never copied
 * into it.
 */
export const BUFFERS: readonly BufferShape[] = [
  data,
  data,
  data,
  { role: 'args', size: 256, usage: ARGS },
  upload,
  upload,
  read,
  read,
  read,
];
const slotsOf = (...roles: readonly Role[]): readonly number[] =>
  BUFFERS.flatMap(({ role }, slot) => (roles.includes(role) ? [slot] : []));

export interface TextureShape {
  readonly format: 'rgba8unorm' | 'r32uint' | 'depth32float';
  readonly width: number;
  readonly height: number;
  readonly samples: 1 | 4;
  readonly usage: number;
}
const ALL = 1 | 2 | 4 | 16;
/** Eight tiles of 64×64, two, and one. */
const WIDE = { width: 200, height: 70 };
const MIDDLE = { width: 72, height: 40 };
const SMALL = { width: 16, height: 16 };
export const TEXTURES: readonly TextureShape[] = [
  { format: 'rgba8unorm', ...WIDE, samples: 1, usage: ALL },
  { format: 'rgba8unorm', ...MIDDLE, samples: 1, usage: ALL },
  { format: 'r32uint', ...WIDE, samples: 1, usage: ALL },
  { format: 'r32uint', ...SMALL, samples: 1, usage: ALL },
  { format: 'rgba8unorm', ...WIDE, samples: 4, usage: ALL },
  { format: 'rgba8unorm', ...WIDE, samples: 4, usage: ALL },
  { format: 'depth32float', ...WIDE, samples: 1, usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.RENDER_ATTACHMENT },
  { format: 'depth32float', ...WIDE, samples: 4, usage: GPUTextureUsage.RENDER_ATTACHMENT },
];
/** Single-sampled colors: written, copied in parts and sampled. */
const SINGLE_SAMPLED = [0, 1, 2, 3];
const MULTISAMPLED = [4, 5];
const DEPTH = 6;
const MULTISAMPLED_DEPTH = 7;

export type Box = readonly [x: number, y: number, width: number, height: number];
/** Bytes of a storage binding; a uniform one has 16. Both are aligned to this value. */
export const BINDING_BYTES = 256;

export interface Draw {
  /** Vertices from a storage buffer, by index; or from vertex buffers, a word per vertex and one per instance. */
  readonly source: 'pulled' | 'fetched';
  readonly topology: 'triangle-list' | 'point-list';
  readonly effect: 'opaque' | 'discard' | 'texture';
  readonly blend: 'none' | 'add' | 'subtract' | 'reverse-subtract';
  readonly writeMask: number;
  readonly sampleMask: number;
  readonly depth: 'less' | 'always';
  readonly uniform: readonly [buffer: number, at: number];
  readonly storage: readonly [buffer: number, at: number];
  readonly texture: number;
  readonly count: number;
  readonly first: number;
  readonly instances: number;
  readonly firstInstance: number;
  /** Of the word per vertex, and of the one per instance. */
  readonly vertices: readonly [buffer: number, at: number];
  readonly perInstance: readonly [buffer: number, at: number];
  readonly index: {
    readonly buffer: number;
    readonly at: number;
    readonly format: GPUIndexFormat;
    readonly baseVertex: number;
  } | null;
  /** Offset of the counts in `args`; null: the counts above apply. */
  readonly indirect: number | null;
  readonly scissor: Box | null;
}
interface ColorAttachment {
  readonly texture: number;
  /** The clear value as a word of four bytes; null: loads. */
  readonly clear: number | null;
  readonly store: GPUStoreOp;
  readonly resolve: number | null;
}
export interface Pass {
  readonly do: 'pass';
  readonly colors: readonly ColorAttachment[];
  readonly depth: {
    readonly texture: number;
    /** In sixteenths. */
    readonly clear: number | null;
    readonly store: GPUStoreOp;
  } | null;
  readonly draws: readonly Draw[];
}
export type Command =
  | {
      readonly do: 'copy buffer';
      readonly from: number;
      readonly at: number;
      readonly to: number;
      readonly into: number;
      readonly bytes: number;
    }
  | { readonly do: 'clear buffer'; readonly buffer: number; readonly at: number; readonly bytes: number }
  | {
      readonly do: 'buffer to texture';
      readonly buffer: number;
      readonly at: number;
      readonly pitch: number;
      readonly texture: number;
      readonly box: Box;
    }
  | {
      readonly do: 'texture to buffer';
      readonly buffer: number;
      readonly at: number;
      readonly pitch: number;
      readonly texture: number;
      readonly box: Box;
    }
  | {
      readonly do: 'copy texture';
      readonly from: number;
      readonly box: Box;
      readonly to: number;
      readonly x: number;
      readonly y: number;
    }
  | Pass;

/** What the caller does when a mapping is ready, within the promise's reaction. */
export type Call =
  | {
      readonly call: 'writeBuffer';
      readonly buffer: number;
      readonly at: number;
      readonly words: number;
      readonly seed: number;
      /** The caller changes its array right after the call. */ readonly scribble: boolean;
    }
  | {
      readonly call: 'writeTexture';
      readonly texture: number;
      readonly box: Box;
      readonly seed: number;
      readonly scribble: boolean;
    }
  | { readonly call: 'submit'; readonly lists: readonly (readonly Command[])[] }
  /** Command buffers that wait for a later `submit kept`. */
  | { readonly call: 'encode'; readonly list: readonly Command[] }
  | { readonly call: 'submit kept' }
  | {
      readonly call: 'mapAsync';
      readonly buffer: number;
      readonly at: number;
      readonly bytes: number;
      readonly then: readonly Call[];
    }
  /** Compares mapped contents with the model, and overwrites them. */
  | { readonly call: 'use'; readonly buffer: number; readonly seed: number }
  | { readonly call: 'unmap'; readonly buffer: number }
  | { readonly call: 'destroy buffer'; readonly buffer: number }
  | { readonly call: 'destroy texture'; readonly texture: number }
  /** Replaces a resource; the previous one is destroyed, or dropped without a reference. */
  | { readonly call: 'new buffer'; readonly buffer: number; readonly destroys: boolean; readonly mapped: boolean }
  | { readonly call: 'new texture'; readonly texture: number; readonly destroys: boolean }
  /** Replaces each resource that is destroyed. */
  | { readonly call: 'replace what is destroyed' }
  | { readonly call: 'onSubmittedWorkDone' }
  /** Pipelines are created again when needed; those that no queued work refers to may be collected. */
  | { readonly call: 'forget pipelines' }
  | { readonly call: 'collect garbage' };
export type Step =
  | Call
  | {
      readonly call: 'wait';
      readonly for: 'a microtask' | 'a turn' | 'a millisecond' | 'the oldest promise' | 'all promises';
    };

const upTo = (max: number): fc.Arbitrary<number> => fc.noBias(fc.nat({ max }));
const one = <T>(...all: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...all);
/** Chooses `value` most of the time. */
const often = <T>(weight: number, value: T, other: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });
const record = <T extends object>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record(model, { noNullPrototype: true }) as fc.Arbitrary<T>;

const dataSlot = one(...slotsOf('data'));
const binding = fc.tuple(
  dataSlot,
  upTo(7).map((n) => n * BINDING_BYTES)
);
const seed = upTo(0xffff);

/** A part of a texture, from numbers between 0 and 1; small ones give the corner. */
const boxIn = (width: number, height: number): fc.Arbitrary<Box> =>
  fc
    .tuple(upTo(width - 1), upTo(height - 1), upTo(width - 1), upTo(height - 1))
    .map(([x, y, w, h]) => [x, y, 1 + (w % (width - x)), 1 + (h % (height - y))] as const);
const shape = (texture: number): TextureShape => TEXTURES[texture]!;
const boxOf = (texture: number): fc.Arbitrary<Box> =>
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
const partOf = (slot: number): fc.Arbitrary<{ readonly at: number; readonly bytes: number }> => {
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
const list = fc.array(command, { minLength: 1, maxLength: 5 });

const writeBuffer: fc.Arbitrary<Call> = fc
  .oneof({ weight: 5, arbitrary: dataSlot }, { weight: 1, arbitrary: one(...slotsOf('args', 'read')) })
  .chain((buffer) => {
    return partOf(buffer).chain(({ at, bytes }) =>
      record<Call & { call: 'writeBuffer' }>({
        call: fc.constant('writeBuffer'),
        buffer: fc.constant(buffer),
        at: fc.constant(at),
        words: fc.constant(bytes / 4),
        seed,
        scribble: fc.boolean(),
      })
    );
  });
const writeTexture: fc.Arbitrary<Call> = one(...SINGLE_SAMPLED).chain((texture) =>
  boxOf(texture).chain((box) =>
    record<Call & { call: 'writeTexture' }>({
      call: fc.constant('writeTexture'),
      texture: fc.constant(texture),
      box: fc.constant(box),
      seed,
      scribble: fc.boolean(),
    })
  )
);
const submit: fc.Arbitrary<Call> = record<Call & { call: 'submit' }>({
  call: fc.constant('submit'),
  lists: fc.array(list, { minLength: 1, maxLength: 3 }),
});
const mappable = one(...slotsOf('upload', 'read'));
const on = (call: 'unmap' | 'destroy buffer', slot: fc.Arbitrary<number>): fc.Arbitrary<Call> =>
  slot.map((buffer): Call => ({ call, buffer }));
const anyBuffer = upTo(BUFFERS.length - 1);
const anyTexture = upTo(TEXTURES.length - 1);
const use: fc.Arbitrary<Call> = fc.tuple(mappable, seed).map(([buffer, s]): Call => ({ call: 'use', buffer, seed: s }));

const simpleCalls = [
  { weight: 10, arbitrary: writeBuffer },
  { weight: 3, arbitrary: writeTexture },
  { weight: 16, arbitrary: submit },
  { weight: 3, arbitrary: list.map((each): Call => ({ call: 'encode', list: each })) },
  { weight: 3, arbitrary: fc.constant<Call>({ call: 'submit kept' }) },
  { weight: 4, arbitrary: use },
  { weight: 8, arbitrary: on('unmap', mappable) },
  { weight: 2, arbitrary: fc.constant<Call>({ call: 'onSubmittedWorkDone' }) },
  { weight: 1, arbitrary: on('destroy buffer', anyBuffer) },
  { weight: 1, arbitrary: anyTexture.map((texture): Call => ({ call: 'destroy texture', texture })) },
  { weight: 5, arbitrary: fc.constant<Call>({ call: 'replace what is destroyed' }) },
  {
    weight: 3,
    arbitrary: record<Call & { call: 'new buffer' }>({
      call: fc.constant('new buffer'),
      buffer: anyBuffer,
      destroys: fc.boolean(),
      mapped: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: record<Call & { call: 'new texture' }>({
      call: fc.constant('new texture'),
      texture: anyTexture,
      destroys: fc.boolean(),
    }),
  },
] as const;
const mapAsync: fc.Arbitrary<Call> = mappable.chain((buffer) =>
  fc
    .tuple(
      partOf(buffer),
      fc.boolean(),
      one([], ['use'], ['use', 'unmap'], ['use', 'unmap'], ['use', 'unmap'], ['use', 'unmap'], ['unmap']),
      fc.array(fc.oneof(...simpleCalls), { maxLength: 2 })
    )
    .map(([{ at, bytes }, whole, own, others]): Call => {
      const range = whole ? { at: 0, bytes: BUFFERS[buffer]!.size } : { at: at & ~7, bytes };
      return {
        call: 'mapAsync',
        buffer,
        ...range,
        then: [
          ...own.map((each): Call => (each === 'use' ? { call: 'use', buffer, seed: at } : { call: 'unmap', buffer })),
          ...others,
        ],
      };
    })
);
const call: fc.Arbitrary<Call> = fc.oneof(...simpleCalls, { weight: 9, arbitrary: mapAsync });
const wait: fc.Arbitrary<Step> = one<(Step & { call: 'wait' })['for']>(
  'a microtask',
  'a turn',
  'a turn',
  'a turn',
  'a millisecond',
  'the oldest promise',
  'the oldest promise',
  'all promises'
).map((what): Step => ({ call: 'wait', for: what }));

/** A caller's program. Garbage is collected now and then, which takes milliseconds. */
export const program: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 50, arbitrary: call },
    { weight: 12, arbitrary: wait },
    { weight: 1, arbitrary: one<Step>({ call: 'collect garbage' }, { call: 'forget pipelines' }) }
  ),
  { minLength: 1, maxLength: 60, size: 'max' }
);
