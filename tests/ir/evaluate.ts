// The semantics of IR, one lane at a time: the oracle for passes and for both engines. Written for clarity, and
// independently of src/ir/passes/fold.ts: integers by BigInt and typed arrays, floats by fround.
import type { ConstantMath, Instruction, IrNode, IrProgram, ValueId } from '../../src/ir';
import { bits, f32, halfOf, halfValue, truth } from './words';
import { float, integer } from './arithmetic';

export interface Environment {
  /** Bits of the inputs, by their index in the program. */
  readonly inputs: readonly number[];
  /** Bytes bound to buffers, by resource index. */
  readonly buffers?: ReadonlyMap<number, Uint8Array>;
  readonly math: ConstantMath;
  /** Texture reads and size queries: bits of the results. */
  readonly texture?: (instruction: Instruction, args: readonly number[]) => readonly number[];
  /** Sizes of surfaces. */
  readonly surfaceSize?: (instruction: Instruction) => number;
  /** Maximum loop iterations before the evaluation is aborted. */
  readonly maxRounds?: number;
  /**
   * Receives each value. `moment` identifies the execution of the instruction: the value and the iterations of the
   * enclosing loops.
   */
  readonly trace?: (id: ValueId, bits: number, moment: string) => void;
}
interface Result {
  readonly outputs: readonly number[];
  readonly discarded: boolean;
  /** Stores to surfaces, WORDS and IMAGE, and vertices emitted by a geometry program, in order. */
  readonly stores: readonly string[];
}

class Evaluation {
  private readonly values = new Map<ValueId, number>();
  private readonly variables: number[];
  private readonly arrays: number[][];
  readonly outputs: number[];
  discarded = false;
  readonly stores: string[] = [];
  /** Texels by position and sample. */
  private readonly samples = new Map<string, readonly number[]>();
  private readonly words = new Uint32Array(16);
  private readonly texels = new Map<string, readonly number[]>();
  private rounds = 0;
  /** Iterations of the enclosing loops, outermost first. */
  private readonly path: number[] = [];

  constructor(
    private readonly program: IrProgram,
    private readonly environment: Environment
  ) {
    this.variables = program.variables.map(() => 0);
    this.arrays = program.arrays.map(({ length, constants }) =>
      constants ? [...constants] : Array<number>(length).fill(0)
    );
    this.outputs = program.outputs.map(() => 0);
  }

  /** Executes a list. Returns the label of the block that is left, or null. */
  list(nodes: readonly IrNode[]): number | null {
    for (const node of nodes) {
      const left = this.node(node);
      if (left !== null) return left;
    }
    return null;
  }

  private node(node: IrNode): number | null {
    switch (node.kind) {
      case 'op':
        this.instruction(node);
        return null;
      case 'if':
        return this.list(this.values.get(node.condition) ? node.then : node.otherwise);
      case 'leave':
        return node.label;
      case 'block': {
        const left = this.list(node.body);
        return left === node.label ? null : left;
      }
      case 'loop':
        for (let round = 0; ; round++) {
          if (++this.rounds > (this.environment.maxRounds ?? 10_000)) throw new Error('too many rounds');
          this.path.push(round);
          const left = this.list(node.body);
          this.path.pop();
          if (left !== null) return left === node.label ? null : left;
        }
    }
  }

  private instruction(instruction: Instruction): void {
    const args = instruction.args.map((id) => {
      const value = this.values.get(id);
      if (value === undefined) throw new Error(`%${id} is used before it is computed`);
      return value;
    });
    const results = this.compute(instruction, args);
    instruction.results.forEach((id, k) => {
      this.values.set(id, results[k]! >>> 0);
      this.environment.trace?.(id, results[k]! >>> 0, `${id}:${this.path.join(' ')}`);
    });
  }

  private texel(x: number, y: number, sample: number): readonly number[] {
    return this.samples.get(`${x} ${y} ${sample}`) ?? [0, 0, 0, 0];
  }

  /** Any position is in bounds; a discarded lane is a helper. */
  private load([x, y, mask]: readonly number[]): readonly number[] {
    if (this.discarded || mask === 0) return [0, 0, 0, 0, mask!, 0];
    const texel = this.texel(x!, y!, samplesIn(mask!)[0]!);
    const known = samplesIn(0xffffffff).filter((sample) => this.texel(x!, y!, sample).join() === texel.join());
    return [...texel, known.reduce((all, sample) => all | (1 << sample), 0), known.length];
  }

  private store([x, y, mask, ...texel]: readonly number[]): void {
    if (this.discarded || mask === 0) return;
    const seen = texel.map((word) => bits(f32(word)));
    this.stores.push(`${x} ${y} ${mask}: ${seen.join(' ')}`);
    for (const sample of samplesIn(mask!)) this.samples.set(`${x} ${y} ${sample}`, seen);
  }

  /** A buffer of 16 words, initially zeros. A discarded lane writes nothing, and its operations return 0. */
  private access(name: string, [offset, value = 0, comparand = 0]: readonly number[]): readonly number[] {
    const at = Math.min(offset!, 62) >>> 2;
    const before = this.words[at]!;
    if (name === 'load') return [before];
    if (this.discarded) return [0];
    const shift = (offset! & 2) << 3;
    const after: Record<string, () => number> = {
      store: () => value,
      storeHalf: () => (before & ~(0xffff << shift)) | ((value & 0xffff) << shift),
      add: () => before + value,
      and: () => before & value,
      or: () => before | value,
      xor: () => before ^ value,
      exchange: () => value,
      minU32: () => Math.min(before, value),
      maxU32: () => Math.max(before, value),
      minI32: () => Math.min(before | 0, value | 0),
      maxI32: () => Math.max(before | 0, value | 0),
      compareExchange: () => (before === comparand ? value : before),
    };
    this.words[at] = after[name]!();
    this.stores.push(`word ${at}: ${this.words[at]}`);
    return [before];
  }

  /** Images are 8 × 8, initially zeros. */
  private image(op: string, [x, y, z, ...texel]: readonly number[]): readonly number[] {
    const at = `${x} ${y}`;
    const isInside = x! < 8 && y! < 8 && z === 0 && !this.discarded;
    if (op === 'image.load') return (isInside && this.texels.get(at)) || [0, 0, 0, 0];
    if (!isInside) return [];
    const seen = texel.map((word) => bits(f32(word)));
    this.stores.push(`texel ${at}: ${seen.join(' ')}`);
    this.texels.set(at, seen);
    return [];
  }

  private seenOutputs(): number[] {
    return this.outputs.map((word, k) => (this.program.outputs[k]!.type === 'f32' ? bits(f32(word)) : word));
  }

  private compute(instruction: Instruction, args: readonly number[]): readonly number[] {
    const { op, imm } = instruction;
    switch (op) {
      case 'const':
        return [imm];
      case 'var.get':
        return [this.variables[imm]!];
      case 'var.set':
        this.variables[imm] = args[0]!;
        return [];
      case 'array.load':
        return [this.arrays[imm]![Math.min(args[0]!, this.arrays[imm]!.length - 1)]!];
      case 'array.store':
        this.arrays[imm]![Math.min(args[0]!, this.arrays[imm]!.length - 1)] = args[1]!;
        return [];
      case 'input':
        return [this.environment.inputs[imm]!];
      case 'output':
        this.outputs[imm] = args[0]!;
        return [];
      case 'discard':
        this.discarded = true;
        return [];
      case 'emit':
        this.stores.push(`vertex ${this.seenOutputs().join(' ')}`);
        return [];
      case 'cut':
        this.stores.push('cut');
        return [];
      case 'buffer.size':
        return [this.environment.buffers!.get(imm)!.byteLength];
      case 'buffer.load': {
        const bytes = this.environment.buffers!.get(imm)!;
        if (bytes.byteLength < 4) return [0];
        const at = Math.min(args[0]!, bytes.byteLength - 4) & ~3;
        return [new DataView(bytes.buffer, bytes.byteOffset).getUint32(at, true)];
      }
      case 'surface.load':
        return this.load(args);
      case 'surface.store':
        this.store(args);
        return [];
      case 'image.load':
      case 'image.store':
        return this.image(op, args);
      case 'surface.width':
      case 'surface.height':
      case 'surface.samples':
        return [this.environment.surfaceSize!(instruction)];
      case 'select':
        return [args[0] ? args[1]! : args[2]!];
      case 'bool.and':
        return [truth(args[0] !== 0 && args[1] !== 0)];
      case 'bool.or':
        return [truth(args[0] !== 0 || args[1] !== 0)];
      case 'bool.eq':
        return [truth(args[0] === args[1])];
      case 'bool.ne':
        return [truth(args[0] !== args[1])];
      case 'bool.not':
        return [truth(args[0] === 0)];
      case 'f16.pack':
        return [halfOf(f32(args[0]!))];
      case 'f16.unpack':
        return [bits(halfValue(args[0]! & 0xffff))];
    }
    const [kind, name] = op.split('.') as [string, string];
    if (kind === 'storage' || kind === 'atomic') return this.access(name, args);
    if (kind === 'texture' || kind === 'ddx' || kind === 'ddy') return this.environment.texture!(instruction, args);
    return [kind === 'f32' ? float(name, args, this.environment.math) : integer(name, kind === 'i32', args)];
  }
}

/** Indices of the samples in a mask. */
const samplesIn = (mask: number): number[] =>
  Array.from({ length: 32 }, (_, sample) => sample).filter((sample) => (mask >>> sample) & 1);

/** Runs a program for one lane. */
export function evaluate(program: IrProgram, environment: Environment): Result {
  const evaluation = new Evaluation(program, environment);
  evaluation.list(program.body);
  return { outputs: evaluation.outputs, discarded: evaluation.discarded, stores: evaluation.stores };
}

/** JavaScript's functions, rounded: sufficient because only consistency matters. */
export const hostMath: ConstantMath = {
  unary: (name, x) =>
    Math.fround(
      name === 'inverseSqrt' ? 1 / Math.sqrt(x) : (Math as unknown as Record<string, (x: number) => number>)[name]!(x)
    ),
  binary: (name, x, y) =>
    Math.fround((Math as unknown as Record<string, (x: number, y: number) => number>)[name]!(x, y)),
};

/** Whether all bits are equal; all NaNs of f32 outputs count as equal, because their bits are not observable. */
export function sameOutputs(program: IrProgram, a: Result, b: Result): boolean {
  return (
    a.discarded === b.discarded
    && a.stores.join() === b.stores.join()
    && a.outputs.every(
      (x, k) =>
        x === b.outputs[k]
        || (program.outputs[k]!.type === 'f32' && Number.isNaN(f32(x)) && Number.isNaN(f32(b.outputs[k]!)))
    )
  );
}
