// The table of operations: one row a name, with argument and result types. Validation, folding, printing, register
// allocation and both code generators read it. `int` stands for i32 or u32 (the bits are the same).

export type OpType = 'bool' | 'i32' | 'u32' | 'f32' | 'int' | 'any';
export interface OpInfo {
  readonly args: readonly OpType[];
  readonly results: readonly OpType[];
  /** No effect, and depends on nothing but its arguments and immediates: may be folded, shared, moved and dropped. */
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
/** Differences between neighbours of a quad: pure, but not to be moved into divergent control flow. */
const derivative = f1;

export const ops = {
  // imm: the 32 bits.
  'const': { args: [], results: ['any'], pure: true },
  'f32.add': f2, 'f32.sub': f2, 'f32.mul': f2, 'f32.div': f2,
  /** x − y·trunc(x ÷ y), WGSL §8.7. */
  'f32.rem': f2,
  /** b < a ? b : a. */
  'f32.min': f2,
  /** a < b ? b : a. */
  'f32.max': f2,
  // neg and abs change only the sign bit. sign: 1 above zero, −1 below, else +0 (NaN too). round: ties to even. fract:
  // x − floor(x).
  'f32.neg':
    f1, 'f32.abs':
      f1, 'f32.sign': f1, 'f32.floor': f1, 'f32.ceil': f1, 'f32.trunc': f1, 'f32.round': f1, 'f32.fract': f1,
  'f32.sqrt': f1, 'f32.inverseSqrt': f1, 'f32.exp': f1, 'f32.exp2': f1, 'f32.log': f1, 'f32.log2': f1, 'f32.pow': f2,
  'f32.sin': f1, 'f32.cos': f1, 'f32.tan': f1, 'f32.asin': f1, 'f32.acos': f1, 'f32.atan': f1, 'f32.atan2': f2,
  'f32.sinh': f1, 'f32.cosh': f1, 'f32.tanh': f1, 'f32.asinh': f1, 'f32.acosh': f1, 'f32.atanh': f1,
  /** x · 2^e, rounded once. */
  'f32.ldexp': { args: ['f32', 'i32'], results: ['f32'], pure: true },
  // Fraction in ±[0.5, 1); ±0, infinities and NaN: the value itself and exponent 0.
  'f32.frexpFraction': f1,
  'f32.frexpExponent': { args: ['f32'], results: ['i32'], pure: true },
  /** f16.unpack of f16.pack. */
  'f32.quantizeToF16': f1,
  'f32.eq':
    fCompare, 'f32.ne': fCompare, 'f32.lt': fCompare, 'f32.le': fCompare, 'f32.gt': fCompare, 'f32.ge': fCompare,
  'int.add': n2, 'int.sub': n2, 'int.mul': n2, 'int.and': n2, 'int.or': n2, 'int.xor': n2, 'int.neg': n1, 'int.not': n1,
  /** Shift amounts are taken modulo 32. */
  'int.shl': n2, 'i32.shr': n2, 'u32.shr': n2,
  'int.eq': nCompare, 'int.ne': nCompare,
  /** x ÷ 0 = x, min ÷ −1 = min; x % 0 = 0, min % −1 = 0 (WGSL §8.7). */
  'i32.div': n2, 'i32.rem': n2, 'u32.div': n2, 'u32.rem': n2,
  'i32.min': n2, 'i32.max': n2, 'u32.min': n2, 'u32.max': n2, 'i32.abs': n1, 'i32.sign': n1,
  'i32.lt': nCompare, 'i32.le': nCompare, 'i32.gt': nCompare, 'i32.ge': nCompare,
  'u32.lt': nCompare, 'u32.le': nCompare, 'u32.gt': nCompare, 'u32.ge': nCompare,
  'int.countLeadingZeros': n1, 'int.countTrailingZeros': n1, 'int.countOneBits': n1, 'int.reverseBits': n1,
  'i32.firstLeadingBit': n1, 'u32.firstLeadingBit': n1, 'int.firstTrailingBit': n1,
  /** value, offset, count: WGSL extractBits with its clamping. */
  'i32.extractBits': { args: ['int', 'u32', 'u32'], results: ['int'], pure: true },
  'u32.extractBits': { args: ['int', 'u32', 'u32'], results: ['int'], pure: true },
  /** value, inserted, offset, count. */
  'int.insertBits': { args: ['int', 'int', 'u32', 'u32'], results: ['int'], pure: true },
  'bool.and': b2, 'bool.or': b2, 'bool.eq': b2, 'bool.ne': b2,
  'bool.not': { args: ['bool'], results: ['bool'], pure: true },
  /** condition, value if true, value if false. */
  'select': { args: ['bool', 'any', 'any'], results: ['any'], pure: true },
  /** Towards zero, saturating; NaN gives 0. */
  'i32.fromF32': {
    args: ['f32'], results: ['i32'], pure: true,
  }, 'u32.fromF32': { args: ['f32'], results: ['u32'], pure: true },
  'f32.fromI32': {
    args: ['i32'], results: ['f32'], pure: true,
  }, 'f32.fromU32': { args: ['u32'], results: ['f32'], pure: true },
  'int.fromBool': {
    args: ['bool'], results: ['int'], pure: true,
  }, 'f32.fromBool': { args: ['bool'], results: ['f32'], pure: true },
  /** i32 ↔ u32: the same bits, another type. */
  'int.cast': n1,
  /** NaN becomes 7fc00000. */
  'int.fromF32Bits': { args: ['f32'], results: ['int'], pure: true },
  'f32.fromBits': { args: ['int'], results: ['f32'], pure: true },
  /** Low 16 bits of the result: the nearest half (ties to even). */
  'f16.pack': { args: ['f32'], results: ['u32'], pure: true },
  /** From the low 16 bits. */
  'f16.unpack': { args: ['u32'], results: ['f32'], pure: true },
  'ddx.coarse': derivative, 'ddx.fine': derivative, 'ddy.coarse': derivative, 'ddy.fine': derivative,
  // imm: variable index.
  'var.get': { args: [], results: ['any'], pure: false },
  'var.set': { args: ['any'], results: [], pure: false },
  // imm: array index.
  'array.load': { args: ['u32'], results: ['any'], pure: false },
  'array.store': { args: ['u32', 'any'], results: [], pure: false },
  // imm: input / output index.
  'input': { args: [], results: ['any'], pure: true },
  'output': { args: ['any'], results: [], pure: false },
  // imm: resource index; argument: byte offset of a word, a multiple of 4. Pure, since bindings that can be written are
  // not read here.
  'buffer.load': { args: ['u32'], results: ['any'], pure: true },
  /** Bytes bound. */
  'buffer.size': { args: [], results: ['u32'], pure: true },
  // Buffers that the program may write. imm: resource index; first argument: byte offset, of words a multiple of 4.
  'storage.load': { args: ['u32'], results: ['any'], pure: false },
  /** Bits: those of floats come from int.fromF32Bits. */
  'storage.store': { args: ['u32', 'int'], results: [], pure: false },
  /** Two bytes, the low ones of the bits. */
  'storage.storeHalf': { args: ['u32', 'u32'], results: [], pure: false },
  // Atomic: offset, value; the result is what was there before.
  'atomic.add': atomic, 'atomic.and': atomic, 'atomic.or': atomic, 'atomic.xor': atomic, 'atomic.exchange': atomic,
  'atomic.minI32': atomic, 'atomic.maxI32': atomic, 'atomic.minU32': atomic, 'atomic.maxU32': atomic,
  /** offset, value, comparand: exchanges where the word is the comparand. */
  'atomic.compareExchange': { args: ['u32', 'int', 'int'], results: ['int'], pure: false },
  // texture: see TextureAccess. Four results.
  'texture.sample': { args: [], results: ['any', 'any', 'any', 'any'], pure: true },
  /** args: coordinates (i32, one per dimension), array layer if arrayed, level or sample. Out of range gives zeros… */
  'texture.load': { args: [], results: ['any', 'any', 'any', 'any'], pure: true },
  // imm: resource index; argument: level. Three results: width, height, depth.
  'texture.dimensions': { args: ['u32'], results: ['u32', 'u32', 'u32'], pure: true },
  // imm: resource index.
  'texture.levels': { args: [], results: ['u32'], pure: true },
  'texture.layers': { args: [], results: ['u32'], pure: true },
  'texture.samples': { args: [], results: ['u32'], pure: true },
  // imm: resource index of an image, a storage texture of one sample that the program may write. x, y, and layer or
  // slice (0 where the texture has none). Outside, a load gives zeros and a store does nothing.
  'image.load': { args: ['i32', 'i32', 'i32'], results: ['any', 'any', 'any', 'any'], pure: false },
  'image.store': { args: ['i32', 'i32', 'i32', 'any', 'any', 'any', 'any'], results: [], pure: false },
  // imm: resource index. A surface is a multisampled storage texture.
  /**
   * x, y, mask of samples. Four channels of the lowest sample of the mask; the samples known to hold them, that one
   * always among them; state (SURFACE_*).
   */
  'surface.load': { args: ['i32', 'i32', 'u32'], results: ['any', 'any', 'any', 'any', 'u32', 'u32'], pure: false },
  /** x, y, mask of samples, four channels. */
  'surface.store': { args: ['i32', 'i32', 'u32', 'any', 'any', 'any', 'any'], results: [], pure: false },
  'surface.width': { args: [], results: ['u32'], pure: true },
  'surface.height': { args: [], results: ['u32'], pure: true },
  'surface.samples': { args: [], results: ['u32'], pure: true },
  // Of compute programs.
  'barrier': { args: [], results: [], pure: false },
  // Across the lanes of a quad, which are a subgroup. Active lanes are those that come there, but for helpers and those
  // that were discarded. Not pure: which lanes come there matters.
  /**
   * value, other: a constant. imm: of each lane, from which it takes, two bits a lane; with LANES_WITH_HELPERS helpers
   * count as active. Lanes that are not active give `other`.
   */
  'lanes.permute': { args: ['any', 'any'], results: ['any'], pure: false },
  /** value, lane. 0 from lanes that are not active, and beyond the last. */
  'lanes.shuffle': { args: ['any', 'u32'], results: ['any'], pure: false },
  /** A bit of each active lane in which it holds. */
  'lanes.ballot': { args: ['bool'], results: ['u32'], pure: false },
  /** The lane's number. */
  'lanes.index': { args: [], results: ['u32'], pure: false },
  'discard': { args: [], results: [], pure: false },
  // Of geometry programs: what the outputs hold becomes a vertex; the strip of vertices ends.
  'emit': { args: [], results: [], pure: false },
  'cut': { args: [], results: [], pure: false },
  // Of fragment programs: what the outputs hold goes to the samples of a mask.
  'dispatch': { args: ['u32'], results: [], pure: false },
} as const satisfies Record<string, OpInfo>;

export type OpName = keyof typeof ops;
const infos: ReadonlyMap<string, OpInfo> = new Map<string, OpInfo>(Object.entries(ops));
export const opInfo = (op: OpName): OpInfo => infos.get(op)!;

// Passes ask of every instruction: sets are asked sooner than texts.
const names = [...infos.keys()] as OpName[];
const those = (belongs: (op: OpName) => boolean): ReadonlySet<OpName> => new Set(names.filter(belongs));
const atomics = those((op) => op.startsWith('atomic.')), ofQuads = those((op) => op.startsWith('lanes.'));
const writing = new Set<OpName>([
  ...atomics, 'storage.store', 'storage.storeHalf', 'surface.store', 'image.store', 'barrier',
]);
const laneWise = new Set<OpName>([...writing, ...ofQuads, 'discard', 'surface.load', 'image.load']);
laneWise.delete('lanes.index');

const arithmetic = those((op) => /^((f16|f32|i32|u32|int|bool)\.|select$)/.test(op));

/** Its one result depends on its arguments alone: most instructions of a program. */
export const isArithmetic = (op: OpName): boolean => arithmetic.has(op);
export const isAtomic = (op: OpName): boolean => atomics.has(op);
/** What it finds depends on which lanes lie side by side. */
export const isOfQuad = (op: OpName): boolean => ofQuads.has(op);
/** Of a streamed texture, what it reads may not be there. */
export const readsTexture = (op: OpName): boolean => op === 'texture.sample' || op === 'texture.load';
/** Others see what it does, whether or not the program uses its result. */
export const writesOutside = (op: OpName): boolean => writing.has(op);
/** Which lanes are on decides what it does, or what it finds. */
export const isLaneWise = (op: OpName): boolean => laneWise.has(op);
/** The table's own text of a name that may have been put together: engines compare such texts by where they lie. */
export const named = (op: OpName): OpName => own.get(op)!;
const own: ReadonlyMap<OpName, OpName> = new Map(names.map((op) => [op, op]));
/** A small number of its own. */
export const numberOf = (op: OpName): number => numbers.get(op)!;
const numbers: ReadonlyMap<OpName, number> = new Map(names.map((op, number) => [op, number]));
