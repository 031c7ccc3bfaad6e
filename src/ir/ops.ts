// The table of operations: one row per name, with the types of its arguments and results. Validation, folding,
// printing, register allocation and both code generators read it. `int` stands for i32 or u32, where the resulting bits
// are the same.

export type OpType = 'bool' | 'i32' | 'u32' | 'f32' | 'int' | 'any';
export interface OpInfo {
  readonly args: readonly OpType[];
  readonly results: readonly OpType[];
  /**
   * Whether the operation has no effect and depends only on its arguments and immediates: passes may fold, share, move
   * and drop it.
   */
  readonly pure: boolean;
}

const f1 = { args: ['f32'], results: ['f32'], pure: true } as const;
const f2 = { args: ['f32', 'f32'], results: ['f32'], pure: true } as const;
const fCompare = { args: ['f32', 'f32'], results: ['bool'], pure: true } as const;
const n1 = { args: ['int'], results: ['int'], pure: true } as const;
const n2 = { args: ['int', 'int'], results: ['int'], pure: true } as const;
const nCompare = { args: ['int', 'int'], results: ['bool'], pure: true } as const;
const b2 = { args: ['bool', 'bool'], results: ['bool'], pure: true } as const;
const atomic = { args: ['u32', 'int'], results: ['int'], pure: false } as const;
/** Differences between neighbours in a quad. Pure, but passes must not move it into divergent control flow. */
const derivative = f1;

export const ops = {
  // imm: the 32 bits.
  const: { args: [], results: ['any'], pure: true },
  'f32.add': f2,
  'f32.sub': f2,
  'f32.mul': f2,
  'f32.div': f2,
  /** x − y·trunc(x ÷ y), WGSL §8.7. */
  'f32.rem': f2,
  /** b < a ? b : a. */
  'f32.min': f2,
  /** a < b ? b : a. */
  'f32.max': f2,
  // neg and abs change only the sign bit. sign returns 1 above zero, −1 below, and +0 otherwise (also for NaN). round
  // rounds ties to even. fract is x − floor(x).
  'f32.neg': f1,
  'f32.abs': f1,
  'f32.sign': f1,
  'f32.floor': f1,
  'f32.ceil': f1,
  'f32.trunc': f1,
  'f32.round': f1,
  'f32.fract': f1,
  'f32.sqrt': f1,
  'f32.inverseSqrt': f1,
  'f32.exp': f1,
  'f32.exp2': f1,
  'f32.log': f1,
  'f32.log2': f1,
  'f32.pow': f2,
  'f32.sin': f1,
  'f32.cos': f1,
  'f32.tan': f1,
  'f32.asin': f1,
  'f32.acos': f1,
  'f32.atan': f1,
  'f32.atan2': f2,
  'f32.sinh': f1,
  'f32.cosh': f1,
  'f32.tanh': f1,
  'f32.asinh': f1,
  'f32.acosh': f1,
  'f32.atanh': f1,
  /** x · 2^e, rounded once. */
  'f32.ldexp': { args: ['f32', 'i32'], results: ['f32'], pure: true },
  // The fraction is in ±[0.5, 1). For ±0, infinities and NaN it is the value itself, and the exponent is 0.
  'f32.frexpFraction': f1,
  'f32.frexpExponent': { args: ['f32'], results: ['i32'], pure: true },
  /** The value of f16.unpack(f16.pack(x)). */
  'f32.quantizeToF16': f1,
  'f32.eq': fCompare,
  'f32.ne': fCompare,
  'f32.lt': fCompare,
  'f32.le': fCompare,
  'f32.gt': fCompare,
  'f32.ge': fCompare,
  'int.add': n2,
  'int.sub': n2,
  'int.mul': n2,
  'int.and': n2,
  'int.or': n2,
  'int.xor': n2,
  'int.neg': n1,
  'int.not': n1,
  /** Shift amounts are taken modulo 32. */
  'int.shl': n2,
  'i32.shr': n2,
  'u32.shr': n2,
  'int.eq': nCompare,
  'int.ne': nCompare,
  /** x ÷ 0 = x, min ÷ −1 = min; x % 0 = 0, min % −1 = 0 (WGSL §8.7). */
  'i32.div': n2,
  'i32.rem': n2,
  'u32.div': n2,
  'u32.rem': n2,
  'i32.min': n2,
  'i32.max': n2,
  'u32.min': n2,
  'u32.max': n2,
  'i32.abs': n1,
  'i32.sign': n1,
  'i32.lt': nCompare,
  'i32.le': nCompare,
  'i32.gt': nCompare,
  'i32.ge': nCompare,
  'u32.lt': nCompare,
  'u32.le': nCompare,
  'u32.gt': nCompare,
  'u32.ge': nCompare,
  'int.countLeadingZeros': n1,
  'int.countTrailingZeros': n1,
  'int.countOneBits': n1,
  'int.reverseBits': n1,
  'i32.firstLeadingBit': n1,
  'u32.firstLeadingBit': n1,
  'int.firstTrailingBit': n1,
  /** Arguments: value, offset, count. Clamps them as WGSL extractBits does. */
  'i32.extractBits': { args: ['int', 'u32', 'u32'], results: ['int'], pure: true },
  'u32.extractBits': { args: ['int', 'u32', 'u32'], results: ['int'], pure: true },
  /** Arguments: value, inserted value, offset, count. */
  'int.insertBits': { args: ['int', 'int', 'u32', 'u32'], results: ['int'], pure: true },
  'bool.and': b2,
  'bool.or': b2,
  'bool.eq': b2,
  'bool.ne': b2,
  'bool.not': { args: ['bool'], results: ['bool'], pure: true },
  /** Arguments: condition, value if true, value if false. */
  select: { args: ['bool', 'any', 'any'], results: ['any'], pure: true },
  /** Rounds towards zero and saturates; NaN gives 0. */
  'i32.fromF32': { args: ['f32'], results: ['i32'], pure: true },
  'u32.fromF32': { args: ['f32'], results: ['u32'], pure: true },
  'f32.fromI32': { args: ['i32'], results: ['f32'], pure: true },
  'f32.fromU32': { args: ['u32'], results: ['f32'], pure: true },
  'int.fromBool': { args: ['bool'], results: ['int'], pure: true },
  'f32.fromBool': { args: ['bool'], results: ['f32'], pure: true },
  /** Reinterprets between i32 and u32; the bits stay the same. */
  'int.cast': n1,
  /** A NaN becomes 7fc00000. */
  'int.fromF32Bits': { args: ['f32'], results: ['int'], pure: true },
  'f32.fromBits': { args: ['int'], results: ['f32'], pure: true },
  /** The low 16 bits of the result are the nearest half; ties round to even. */
  'f16.pack': { args: ['f32'], results: ['u32'], pure: true },
  /** Converts the half in the low 16 bits. */
  'f16.unpack': { args: ['u32'], results: ['f32'], pure: true },
  'ddx.coarse': derivative,
  'ddx.fine': derivative,
  'ddy.coarse': derivative,
  'ddy.fine': derivative,
  // imm: variable index.
  'var.get': { args: [], results: ['any'], pure: false },
  'var.set': { args: ['any'], results: [], pure: false },
  // imm: array index.
  'array.load': { args: ['u32'], results: ['any'], pure: false },
  'array.store': { args: ['u32', 'any'], results: [], pure: false },
  // imm: index of the input or output.
  input: { args: [], results: ['any'], pure: true },
  output: { args: ['any'], results: [], pure: false },
  // imm: resource index. Argument: byte offset of a word, a multiple of 4. Pure, because this operation never reads
  // writable bindings.
  'buffer.load': { args: ['u32'], results: ['any'], pure: true },
  /** Size of the binding in bytes. */
  'buffer.size': { args: [], results: ['u32'], pure: true },
  // Buffers that the program may write. imm: resource index. First argument: byte offset, a multiple of 4 for words.
  'storage.load': { args: ['u32'], results: ['any'], pure: false },
  /** Stores bits; those of floats come from int.fromF32Bits. */
  'storage.store': { args: ['u32', 'int'], results: [], pure: false },
  /** Stores the low two bytes. */
  'storage.storeHalf': { args: ['u32', 'u32'], results: [], pure: false },
  // Atomic operations. Arguments: offset, value. The result is the previous value.
  'atomic.add': atomic,
  'atomic.and': atomic,
  'atomic.or': atomic,
  'atomic.xor': atomic,
  'atomic.exchange': atomic,
  'atomic.minI32': atomic,
  'atomic.maxI32': atomic,
  'atomic.minU32': atomic,
  'atomic.maxU32': atomic,
  /** Arguments: offset, value, comparand. Writes the value if the word equals the comparand. */
  'atomic.compareExchange': { args: ['u32', 'int', 'int'], results: ['int'], pure: false },
  // texture: see TextureAccess. Four results.
  'texture.sample': { args: [], results: ['any', 'any', 'any', 'any'], pure: true },
  /**
   * args: coordinates (i32, one per dimension), array layer if arrayed, level or sample. Reads out of range give zeros.
   */
  'texture.load': { args: [], results: ['any', 'any', 'any', 'any'], pure: true },
  /**
   * imm: resource index of a multisampled texture. Arguments and results of surface.load. A load out of range gives
   * zeros and its argument as the mask.
   */
  'texture.loadSamples': {
    args: ['i32', 'i32', 'u32'],
    results: ['any', 'any', 'any', 'any', 'u32', 'u32'],
    pure: true,
  },
  // imm: resource index. Argument: level. Three results: width, height, depth.
  'texture.dimensions': { args: ['u32'], results: ['u32', 'u32', 'u32'], pure: true },
  // imm: resource index.
  'texture.levels': { args: [], results: ['u32'], pure: true },
  'texture.layers': { args: [], results: ['u32'], pure: true },
  'texture.samples': { args: [], results: ['u32'], pure: true },
  // imm: resource index of an image, that is, a single-sampled storage texture that the program may write. Arguments:
  // x, y, and the layer or slice (0 if the texture has none). Outside the texture, a load gives zeros and a store does
  // nothing.
  'image.load': { args: ['i32', 'i32', 'i32'], results: ['any', 'any', 'any', 'any'], pure: false },
  'image.store': { args: ['i32', 'i32', 'i32', 'any', 'any', 'any', 'any'], results: [], pure: false },
  // imm: resource index. A surface is a multisampled storage texture.
  /**
   * Arguments: x, y, sample mask. Results: the four channels of the lowest sample in the mask; the mask of samples
   * known to hold the same value, which always includes that sample; and the state (SURFACE_*).
   */
  'surface.load': { args: ['i32', 'i32', 'u32'], results: ['any', 'any', 'any', 'any', 'u32', 'u32'], pure: false },
  /** Arguments: x, y, sample mask, four channels. */
  'surface.store': { args: ['i32', 'i32', 'u32', 'any', 'any', 'any', 'any'], results: [], pure: false },
  'surface.width': { args: [], results: ['u32'], pure: true },
  'surface.height': { args: [], results: ['u32'], pure: true },
  'surface.samples': { args: [], results: ['u32'], pure: true },
  // Compute programs only.
  barrier: { args: [], results: [], pure: false },
  // Operations across the lanes of a quad, which forms a subgroup. The active lanes are those that execute the
  // operation, except helper lanes and discarded lanes. Not pure, because the result depends on which lanes execute it.
  /**
   * Arguments: a value and a constant fallback. imm: for each lane, the lane it reads from, two bits per lane; with
   * LANES_WITH_HELPERS, helper lanes count as active. Lanes that are not active contribute the fallback.
   */
  'lanes.permute': { args: ['any', 'any'], results: ['any'], pure: false },
  /** Arguments: value, lane. Gives 0 for lanes that are not active or out of range. */
  'lanes.shuffle': { args: ['any', 'u32'], results: ['any'], pure: false },
  /** One bit for each active lane in which the argument is true. */
  'lanes.ballot': { args: ['bool'], results: ['u32'], pure: false },
  /** Index of the lane in its quad. */
  'lanes.index': { args: [], results: ['u32'], pure: false },
  discard: { args: [], results: [], pure: false },
  // Geometry programs only. `emit` makes a vertex of the current outputs; `cut` ends the strip.
  emit: { args: [], results: [], pure: false },
  cut: { args: [], results: [], pure: false },
  // Fragment programs only. Sends the current outputs to the samples of a mask.
  dispatch: { args: ['u32'], results: [], pure: false },
} as const satisfies Record<string, OpInfo>;

export type OpName = keyof typeof ops;
const infos: ReadonlyMap<string, OpInfo> = new Map<string, OpInfo>(Object.entries(ops));
export const opInfo = (op: OpName): OpInfo => infos.get(op)!;

// Passes query these classes for every instruction, and a set lookup is faster than matching the name.
const names = [...infos.keys()] as OpName[];
const those = (belongs: (op: OpName) => boolean): ReadonlySet<OpName> => new Set(names.filter(belongs));
const atomics = those((op) => op.startsWith('atomic.'));
const ofQuads = those((op) => op.startsWith('lanes.'));
const writing = new Set<OpName>([
  ...atomics,
  'storage.store',
  'storage.storeHalf',
  'surface.store',
  'image.store',
  'barrier',
]);
const laneWise = new Set<OpName>([...writing, ...ofQuads, 'discard', 'surface.load', 'image.load']);
laneWise.delete('lanes.index');

const arithmetic = those((op) => /^((f16|f32|i32|u32|int|bool)\.|select$)/.test(op));

/** Whether the operation has one result that depends on nothing but its arguments. Most instructions are arithmetic. */
export const isArithmetic = (op: OpName): boolean => arithmetic.has(op);
export const isAtomic = (op: OpName): boolean => atomics.has(op);
/** Whether the result depends on the other lanes of the quad. */
export const readsQuadLanes = (op: OpName): boolean => ofQuads.has(op);
/** Whether the operation reads texels. In a streamed texture, these may be in a non-resident page. */
export const readsTexture = (op: OpName): boolean =>
  op === 'texture.sample' || op === 'texture.load' || op === 'texture.loadSamples';
/** Whether the effect is visible outside the invocation, even if the program does not use the result. */
export const writesOutside = (op: OpName): boolean => writing.has(op);
/** Whether the effect or the result depends on which lanes are active. */
export const isLaneWise = (op: OpName): boolean => laneWise.has(op);
/**
 * Returns the table's own string for a name that may have been concatenated. Engines compare identical strings by
 * address, which is faster.
 */
export const named = (op: OpName): OpName => own.get(op)!;
const own: ReadonlyMap<OpName, OpName> = new Map(names.map((op) => [op, op]));
/** A small unique number for the operation. */
export const numberOf = (op: OpName): number => numbers.get(op)!;
const numbers: ReadonlyMap<OpName, number> = new Map(names.map((op, number) => [op, number]));
