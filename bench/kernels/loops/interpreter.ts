// Runs warps with the interpreter, and with a plain TypeScript interpreter of the same bytecode.
import { LOOP_CHECK_INTERVAL } from '../../../assembly/layout/limits';
import {
  OP_END,
  OP_F32_ADD,
  OP_F32_DIV,
  OP_F32_DOT2,
  OP_F32_DOT3,
  OP_F32_DOT3_ADD,
  OP_F32_DOT4,
  OP_F32_INVERSE_SQRT,
  OP_F32_MAX,
  OP_F32_MUL,
  OP_F32_MUL_ADD,
  OP_F32_NEG,
  OP_F32_POW,
  OP_F32_SATURATE,
  OP_F32_SQRT,
  OP_F32_SUB,
  OP_MOVE,
} from '../../../assembly/layout/program/opcodes';
import { Program, Warp } from '../../../build/layout';
import { bytecodeOf } from '../../../tests/codegen/bytecode';
import { LANES, LoopKernel, numbers, REGISTER_BYTES, WARP_QUADS, type HotLoop, type Side } from './kit';

const WARPS = 16;

const PROGRAMS = {
  lighting: `
    @fragment fn main(@location(0) n: vec3f, @location(1) l: vec3f, @location(2) v: vec3f) -> @location(0) vec4f {
    let normal = normalize(n); let h = normalize(normalize(l) + normalize(v)); let d = saturate(dot(normal, l));
    let s = pow(max(dot(normal, h), 0.001), 32.0);
    return vec4f(vec3f(0.06, 0.07, 0.09) + vec3f(0.8, 0.5, 0.3) * d + 0.4 * s, 1); }`,
  transform: `@fragment fn main(@location(0) p: vec3f, @location(1) n: vec3f) -> @location(0) vec4f {
    let m = mat4x4f(0.9, 0.1, -0.2, 0, 0.2, 1.1, 0.3, 0, -0.4, 0.5, 0.8, 0, 0.3, -0.2, 2.5, 1);
    let q = m * vec4f(p, 1); let w = m * vec4f(n, 0);
    return vec4f(q.xyz / (q.z + 4), dot(w, w)); }`,
};

const float = new Float32Array(1);
const word = new Uint32Array(float.buffer);
const floatOf = (bits: number): number => {
  word[0] = bits;
  return float[0]!;
};

/** Runs one warp. Registers are consecutive arrays of lanes, and each instruction is a loop over the lanes. */
function interpretPlain(code: Uint32Array, r: Float32Array): void {
  for (let pc = 0; ;) {
    const op = code[pc]! & 0xffff;
    const to = (code[pc]! >>> 16) * LANES;
    const first = code[pc + 1]!;
    const second = code[pc + 2]!;
    const third = code[pc + 3]!;
    const a = (first & 0xffff) * LANES;
    const b = (first >>> 16) * LANES;
    const c = (second & 0xffff) * LANES;
    const d = (second >>> 16) * LANES;
    const e = (third & 0xffff) * LANES;
    const f = (third >>> 16) * LANES;
    switch (op) {
      case OP_END:
        return;
      case OP_MOVE:
        r.copyWithin(to, a, a + LANES);
        pc += 2;
        break;
      case OP_F32_NEG:
        for (let i = 0; i < LANES; i++) r[to + i] = -r[a + i]!;
        pc += 2;
        break;
      case OP_F32_SQRT:
        for (let i = 0; i < LANES; i++) r[to + i] = Math.sqrt(r[a + i]!);
        pc += 2;
        break;
      case OP_F32_INVERSE_SQRT:
        for (let i = 0; i < LANES; i++) r[to + i] = 1 / Math.sqrt(r[a + i]!);
        pc += 2;
        break;
      case OP_F32_SATURATE:
        for (let i = 0; i < LANES; i++) r[to + i] = Math.min(Math.max(r[a + i]!, 0), 1);
        pc += 2;
        break;
      case OP_F32_ADD:
        for (let i = 0; i < LANES; i++) r[to + i] = r[a + i]! + r[b + i]!;
        pc += 2;
        break;
      case OP_F32_SUB:
        for (let i = 0; i < LANES; i++) r[to + i] = r[a + i]! - r[b + i]!;
        pc += 2;
        break;
      case OP_F32_MUL:
        for (let i = 0; i < LANES; i++) r[to + i] = r[a + i]! * r[b + i]!;
        pc += 2;
        break;
      case OP_F32_DIV:
        for (let i = 0; i < LANES; i++) r[to + i] = r[a + i]! / r[b + i]!;
        pc += 2;
        break;
      case OP_F32_MAX:
        for (let i = 0; i < LANES; i++) r[to + i] = Math.max(r[a + i]!, r[b + i]!);
        pc += 2;
        break;
      case OP_F32_POW:
        for (let i = 0; i < LANES; i++) r[to + i] = r[a + i]! ** r[b + i]!;
        pc += 2;
        break;
      case OP_F32_MUL_ADD:
        for (let i = 0; i < LANES; i++) r[to + i] = r[a + i]! * r[b + i]! + r[c + i]!;
        pc += 3;
        break;
      case OP_F32_DOT2:
        for (let i = 0; i < LANES; i++) r[to + i] = r[a + i]! * r[b + i]! + r[c + i]! * r[d + i]!;
        pc += 3;
        break;
      case OP_F32_DOT3:
        for (let i = 0; i < LANES; i++)
          r[to + i] = r[a + i]! * r[b + i]! + r[c + i]! * r[d + i]! + r[e + i]! * r[f + i]!;
        pc += 4;
        break;
      case OP_F32_DOT3_ADD: {
        const g = (code[pc + 4]! & 0xffff) * LANES;
        for (let i = 0; i < LANES; i++)
          r[to + i] = r[a + i]! * r[b + i]! + r[c + i]! * r[d + i]! + r[e + i]! * r[f + i]! + r[g + i]!;
        pc += 5;
        break;
      }
      case OP_F32_DOT4: {
        const g = (code[pc + 4]! & 0xffff) * LANES;
        const h = (code[pc + 4]! >>> 16) * LANES;
        for (let i = 0; i < LANES; i++)
          r[to + i] = r[a + i]! * r[b + i]! + r[c + i]! * r[d + i]! + r[e + i]! * r[f + i]! + r[g + i]! * r[h + i]!;
        pc += 5;
        break;
      }
      default:
        throw new Error(`the plain interpreter has no opcode ${op}`);
    }
  }
}

export function interpreter(name: keyof typeof PROGRAMS): HotLoop {
  const k = new LoopKernel({ pages: 64 });
  const { code, constants, inputs, outputs, registers } = bytecodeOf(PROGRAMS[name]);
  const program = k.alloc(Program.bytes);
  const next = numbers(12);
  const fields = [
    [Program.code, k.words(code)],
    [Program.inputs, inputs],
    [Program.outputs, outputs],
    [Program.constants, constants.length],
  ] as const;
  for (const [field, value] of fields) k.put(program + field, value);
  const files: number[] = [];
  const mine: Float32Array[] = [];
  const rows = Array.from({ length: WARPS }, () => {
    const warp = k.alloc(Warp.bytes);
    const file = k.alloc(registers * REGISTER_BYTES);
    const values = k.f32(file, registers * LANES);
    for (let i = 0; i < inputs * LANES; i++) values[i] = next() * 2 - 1;
    constants.forEach((bits, i) => {
      values.fill(floatOf(bits), (inputs + outputs + i) * LANES, (inputs + outputs + i + 1) * LANES);
    });
    for (const [field, value] of [
      [Warp.program, program],
      [Warp.registers, file],
      [Warp.quadCount, WARP_QUADS],
      [Warp.loopBudget, LOOP_CHECK_INTERVAL],
    ] as const)
      k.put(warp + field, value);
    k.u32(warp + Warp.exec, LANES).fill(0xffffffff);
    files.push(file);
    mine.push(values.slice());
    return [warp];
  });
  const result = (values: Float32Array): Float32Array => values.subarray(inputs * LANES, (inputs + outputs) * LANES);
  const side = (twin: string): Side => ({
    run: k.calls(twin, ['i32'], rows, 'i32').run,
    output: () => files.flatMap((file) => [...result(k.f32(file, registers * LANES))]),
  });
  return {
    name: `interpreter, ${name}`,
    group: 'interpreter',
    unit: 'lane',
    count: WARPS * LANES,
    tolerance: 1e-4,
    simd: side('interpret'),
    scalar: side('interpretScalar'),
    plain: {
      run: () => {
        for (const file of mine) interpretPlain(code, file);
      },
      output: () => mine.flatMap((file) => [...result(file)]),
    },
  };
}
