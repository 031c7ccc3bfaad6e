// The WebAssembly instructions used by emitted modules and the kernel's inlined functions, by name and code. The
// writer, the inliner and the printer share this table. (WebAssembly Core Specification 2.0, § 5.4.)

import { unreachable } from '../../base/assert';

/** What follows an opcode in the binary format. */
export type Immediate =
  | 'none'
  | 'block'
  | 'label'
  | 'labels'
  | 'function'
  | 'indirect'
  | 'local'
  | 'global'
  | 'memory'
  | 'pages'
  | 'i32'
  | 'i64'
  | 'f32'
  | 'f64'
  | 'v128'
  | 'shuffle'
  | 'lane'
  | 'memoryLane'
  | 'copy'
  | 'fill'
  | 'select';
export interface WasmInstruction {
  readonly name: string;
  readonly code: number;
  readonly immediate: Immediate;
}

/** Opcode of a v128 instruction: prefix 0xfd and a number. */
export const SIMD = 0xfd00;
/**
 * Opcode of an atomic instruction: prefix 0xfe and a number. (WebAssembly Core Specification 3.0; used by the kernel's
 * page pool.)
 */
const ATOMIC = 0xfe00;
/** Saturating conversions and bulk memory: prefix 0xfc and a number. */
const MISC = 0xfc00;

const series = (first: number, names: string): WasmInstruction[] =>
  names.split(' ').map((name, i) => ({ name, code: first + i, immediate: 'none' as const }));
const memory = (first: number, names: string): WasmInstruction[] =>
  names.split(' ').map((name, i) => ({ name, code: first + i, immediate: 'memory' as const }));
const one = (code: number, name: string, immediate: Immediate): WasmInstruction => ({ name, code, immediate });

export const instructions: readonly WasmInstruction[] = [
  one(0x00, 'unreachable', 'none'),
  one(0x01, 'nop', 'none'),
  one(0x02, 'block', 'block'),
  one(0x03, 'loop', 'block'),
  one(0x04, 'if', 'block'),
  one(0x05, 'else', 'none'),
  one(0x0b, 'end', 'none'),
  one(0x0c, 'br', 'label'),
  one(0x0d, 'br_if', 'label'),
  one(0x0e, 'br_table', 'labels'),
  one(0x0f, 'return', 'none'),
  one(0x10, 'call', 'function'),
  one(0x11, 'call_indirect', 'indirect'),
  one(0x1a, 'drop', 'none'),
  one(0x1b, 'select', 'none'),
  one(0x1c, 'select.typed', 'select'),
  one(0x20, 'local.get', 'local'),
  one(0x21, 'local.set', 'local'),
  one(0x22, 'local.tee', 'local'),
  one(0x23, 'global.get', 'global'),
  one(0x24, 'global.set', 'global'),
  ...memory(
    0x28,
    'i32.load i64.load f32.load f64.load i32.load8_s i32.load8_u i32.load16_s i32.load16_u i64.load8_s '
      + 'i64.load8_u i64.load16_s i64.load16_u i64.load32_s i64.load32_u i32.store i64.store f32.store f64.store '
      + 'i32.store8 i32.store16 i64.store8 i64.store16 i64.store32'
  ),
  one(0x3f, 'memory.size', 'pages'),
  one(0x40, 'memory.grow', 'pages'),
  one(0x41, 'i32.const', 'i32'),
  one(0x42, 'i64.const', 'i64'),
  one(0x43, 'f32.const', 'f32'),
  one(0x44, 'f64.const', 'f64'),
  ...series(
    0x45,
    'i32.eqz i32.eq i32.ne i32.lt_s i32.lt_u i32.gt_s i32.gt_u i32.le_s i32.le_u i32.ge_s i32.ge_u i64.eqz '
      + 'i64.eq i64.ne i64.lt_s i64.lt_u i64.gt_s i64.gt_u i64.le_s i64.le_u i64.ge_s i64.ge_u'
  ),
  ...series(0x5b, 'f32.eq f32.ne f32.lt f32.gt f32.le f32.ge f64.eq f64.ne f64.lt f64.gt f64.le f64.ge'),
  ...series(
    0x67,
    'i32.clz i32.ctz i32.popcnt i32.add i32.sub i32.mul i32.div_s i32.div_u i32.rem_s i32.rem_u i32.and i32.or '
      + 'i32.xor i32.shl i32.shr_s i32.shr_u i32.rotl i32.rotr'
  ),
  ...series(
    0x79,
    'i64.clz i64.ctz i64.popcnt i64.add i64.sub i64.mul i64.div_s i64.div_u i64.rem_s i64.rem_u i64.and i64.or '
      + 'i64.xor i64.shl i64.shr_s i64.shr_u i64.rotl i64.rotr'
  ),
  ...series(
    0x8b,
    'f32.abs f32.neg f32.ceil f32.floor f32.trunc f32.nearest f32.sqrt f32.add f32.sub f32.mul f32.div f32.min '
      + 'f32.max f32.copysign'
  ),
  ...series(
    0x99,
    'f64.abs f64.neg f64.ceil f64.floor f64.trunc f64.nearest f64.sqrt f64.add f64.sub f64.mul f64.div f64.min '
      + 'f64.max f64.copysign'
  ),
  ...series(
    0xa7,
    'i32.wrap_i64 i32.trunc_f32_s i32.trunc_f32_u i32.trunc_f64_s i32.trunc_f64_u i64.extend_i32_s '
      + 'i64.extend_i32_u i64.trunc_f32_s i64.trunc_f32_u i64.trunc_f64_s i64.trunc_f64_u f32.convert_i32_s '
      + 'f32.convert_i32_u f32.convert_i64_s f32.convert_i64_u f32.demote_f64 f64.convert_i32_s f64.convert_i32_u '
      + 'f64.convert_i64_s f64.convert_i64_u f64.promote_f32 i32.reinterpret_f32 i64.reinterpret_f64 '
      + 'f32.reinterpret_i32 f64.reinterpret_i64 i32.extend8_s i32.extend16_s '
      + 'i64.extend8_s i64.extend16_s i64.extend32_s'
  ),
  ...series(
    MISC,
    'i32.trunc_sat_f32_s i32.trunc_sat_f32_u i32.trunc_sat_f64_s i32.trunc_sat_f64_u i64.trunc_sat_f32_s '
      + 'i64.trunc_sat_f32_u i64.trunc_sat_f64_s i64.trunc_sat_f64_u'
  ),
  one(MISC + 10, 'memory.copy', 'copy'),
  one(MISC + 11, 'memory.fill', 'fill'),
  ...memory(
    SIMD,
    'v128.load v128.load8x8_s v128.load8x8_u v128.load16x4_s v128.load16x4_u v128.load32x2_s v128.load32x2_u '
      + 'v128.load8_splat v128.load16_splat v128.load32_splat v128.load64_splat v128.store'
  ),
  one(SIMD + 12, 'v128.const', 'v128'),
  one(SIMD + 13, 'i8x16.shuffle', 'shuffle'),
  one(SIMD + 14, 'i8x16.swizzle', 'none'),
  ...series(SIMD + 15, 'i8x16.splat i16x8.splat i32x4.splat i64x2.splat f32x4.splat f64x2.splat'),
  ...(
    'i8x16.extract_lane_s i8x16.extract_lane_u i8x16.replace_lane i16x8.extract_lane_s i16x8.extract_lane_u '
    + 'i16x8.replace_lane i32x4.extract_lane i32x4.replace_lane i64x2.extract_lane i64x2.replace_lane '
    + 'f32x4.extract_lane f32x4.replace_lane f64x2.extract_lane f64x2.replace_lane'
  )
    .split(' ')
    .map((name, i) => one(SIMD + 21 + i, name, 'lane')),
  ...series(
    SIMD + 35,
    'i8x16.eq i8x16.ne i8x16.lt_s i8x16.lt_u i8x16.gt_s i8x16.gt_u i8x16.le_s i8x16.le_u i8x16.ge_s i8x16.ge_u '
      + 'i16x8.eq i16x8.ne i16x8.lt_s i16x8.lt_u i16x8.gt_s i16x8.gt_u i16x8.le_s i16x8.le_u i16x8.ge_s i16x8.ge_u '
      + 'i32x4.eq i32x4.ne i32x4.lt_s i32x4.lt_u i32x4.gt_s i32x4.gt_u i32x4.le_s i32x4.le_u i32x4.ge_s i32x4.ge_u '
      + 'f32x4.eq f32x4.ne f32x4.lt f32x4.gt f32x4.le f32x4.ge f64x2.eq f64x2.ne f64x2.lt f64x2.gt f64x2.le f64x2.ge '
      + 'v128.not v128.and v128.andnot v128.or v128.xor v128.bitselect v128.any_true'
  ),
  ...(
    'v128.load8_lane v128.load16_lane v128.load32_lane v128.load64_lane v128.store8_lane v128.store16_lane '
    + 'v128.store32_lane v128.store64_lane'
  )
    .split(' ')
    .map((name, i) => one(SIMD + 84 + i, name, 'memoryLane')),
  ...memory(SIMD + 92, 'v128.load32_zero v128.load64_zero'),
  ...series(SIMD + 94, 'f32x4.demote_f64x2_zero f64x2.promote_low_f32x4'),
  ...series(
    SIMD + 96,
    'i8x16.abs i8x16.neg i8x16.popcnt i8x16.all_true i8x16.bitmask i8x16.narrow_i16x8_s i8x16.narrow_i16x8_u '
      + 'f32x4.ceil f32x4.floor f32x4.trunc f32x4.nearest i8x16.shl i8x16.shr_s i8x16.shr_u i8x16.add '
      + 'i8x16.add_sat_s i8x16.add_sat_u i8x16.sub i8x16.sub_sat_s i8x16.sub_sat_u f64x2.ceil f64x2.floor '
      + 'i8x16.min_s i8x16.min_u i8x16.max_s i8x16.max_u f64x2.trunc i8x16.avgr_u i16x8.extadd_pairwise_i8x16_s '
      + 'i16x8.extadd_pairwise_i8x16_u i32x4.extadd_pairwise_i16x8_s i32x4.extadd_pairwise_i16x8_u'
  ),
  ...series(
    SIMD + 128,
    'i16x8.abs i16x8.neg i16x8.q15mulr_sat_s i16x8.all_true i16x8.bitmask i16x8.narrow_i32x4_s '
      + 'i16x8.narrow_i32x4_u i16x8.extend_low_i8x16_s i16x8.extend_high_i8x16_s i16x8.extend_low_i8x16_u '
      + 'i16x8.extend_high_i8x16_u i16x8.shl i16x8.shr_s i16x8.shr_u i16x8.add i16x8.add_sat_s i16x8.add_sat_u '
      + 'i16x8.sub i16x8.sub_sat_s i16x8.sub_sat_u f64x2.nearest i16x8.mul '
      + 'i16x8.min_s i16x8.min_u i16x8.max_s i16x8.max_u'
  ),
  ...series(
    SIMD + 155,
    'i16x8.avgr_u i16x8.extmul_low_i8x16_s i16x8.extmul_high_i8x16_s i16x8.extmul_low_i8x16_u '
      + 'i16x8.extmul_high_i8x16_u i32x4.abs i32x4.neg'
  ),
  ...series(SIMD + 163, 'i32x4.all_true i32x4.bitmask'),
  ...series(
    SIMD + 167,
    'i32x4.extend_low_i16x8_s i32x4.extend_high_i16x8_s i32x4.extend_low_i16x8_u i32x4.extend_high_i16x8_u '
      + 'i32x4.shl i32x4.shr_s i32x4.shr_u i32x4.add'
  ),
  ...series(SIMD + 177, 'i32x4.sub'),
  ...series(SIMD + 181, 'i32x4.mul i32x4.min_s i32x4.min_u i32x4.max_s i32x4.max_u i32x4.dot_i16x8_s'),
  ...series(
    SIMD + 188,
    'i32x4.extmul_low_i16x8_s i32x4.extmul_high_i16x8_s i32x4.extmul_low_i16x8_u i32x4.extmul_high_i16x8_u'
  ),
  ...series(SIMD + 192, 'i64x2.abs i64x2.neg'),
  ...series(SIMD + 195, 'i64x2.all_true i64x2.bitmask'),
  ...series(
    SIMD + 199,
    'i64x2.extend_low_i32x4_s i64x2.extend_high_i32x4_s i64x2.extend_low_i32x4_u i64x2.extend_high_i32x4_u '
      + 'i64x2.shl i64x2.shr_s i64x2.shr_u i64x2.add'
  ),
  ...series(SIMD + 209, 'i64x2.sub'),
  ...series(
    SIMD + 213,
    'i64x2.mul i64x2.eq i64x2.ne i64x2.lt_s i64x2.gt_s i64x2.le_s i64x2.ge_s i64x2.extmul_low_i32x4_s '
      + 'i64x2.extmul_high_i32x4_s i64x2.extmul_low_i32x4_u i64x2.extmul_high_i32x4_u f32x4.abs f32x4.neg'
  ),
  ...series(
    SIMD + 227,
    'f32x4.sqrt f32x4.add f32x4.sub f32x4.mul f32x4.div f32x4.min f32x4.max f32x4.pmin f32x4.pmax f64x2.abs f64x2.neg'
  ),
  ...series(
    SIMD + 239,
    'f64x2.sqrt f64x2.add f64x2.sub f64x2.mul f64x2.div f64x2.min f64x2.max f64x2.pmin f64x2.pmax '
      + 'i32x4.trunc_sat_f32x4_s i32x4.trunc_sat_f32x4_u f32x4.convert_i32x4_s f32x4.convert_i32x4_u '
      + 'i32x4.trunc_sat_f64x2_s_zero i32x4.trunc_sat_f64x2_u_zero f64x2.convert_low_i32x4_s '
      + 'f64x2.convert_low_i32x4_u'
  ),
  ...memory(ATOMIC + 16, 'i32.atomic.load i64.atomic.load'),
  ...memory(ATOMIC + 23, 'i32.atomic.store i64.atomic.store'),
  ...memory(ATOMIC + 30, 'i32.atomic.rmw.add i64.atomic.rmw.add'),
  ...memory(ATOMIC + 37, 'i32.atomic.rmw.sub i64.atomic.rmw.sub'),
  ...memory(ATOMIC + 44, 'i32.atomic.rmw.and i64.atomic.rmw.and'),
  ...memory(ATOMIC + 51, 'i32.atomic.rmw.or i64.atomic.rmw.or'),
  ...memory(ATOMIC + 58, 'i32.atomic.rmw.xor i64.atomic.rmw.xor'),
  ...memory(ATOMIC + 65, 'i32.atomic.rmw.xchg i64.atomic.rmw.xchg'),
  ...memory(ATOMIC + 72, 'i32.atomic.rmw.cmpxchg i64.atomic.rmw.cmpxchg'),
];

const byName = new Map(instructions.map((instruction) => [instruction.name, instruction]));
/** By name; undefined if it is not in the table. */
export const instructionNamed = (name: string): WasmInstruction | undefined => byName.get(name);
/** Opcode of an instruction in the table. */
export const codeOf = (name: string): number =>
  byName.get(name)?.code ?? unreachable(`codegen: no instruction '${name}'`);
const byCode = new Map(instructions.map((instruction) => [instruction.code, instruction]));
/** By opcode, including the prefix; undefined if it is not in the table. */
export const instructionCoded = (code: number): WasmInstruction | undefined => byCode.get(code);
