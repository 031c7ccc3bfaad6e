// Number literals (WGSL §3.6.2): decimal and hexadecimal, integer and float, with suffixes.

import { rounded } from './half';
import type { Reporter } from './messages';
import type { LiteralType } from './syntax';

const HEXADECIMAL = /0[xX](?:[0-9a-fA-F]*\.[0-9a-fA-F]+|[0-9a-fA-F]+\.?)(?:[pP][+-]?[0-9]+)?/;
const DECIMAL = /(?:[0-9]*\.[0-9]+|[0-9]+\.?)(?:[eE][+-]?[0-9]+)?/;
const NUMBER = new RegExp(`${HEXADECIMAL.source}|${DECIMAL.source}`, 'y');
/** Letters and digits directly after a literal: a suffix or a mistake. */
const TAIL = /[0-9a-zA-Z_]*/y;

type FloatType = 'f32' | 'f16' | 'abstract-float';
const FLOAT_OF_SUFFIX: Readonly<Record<string, FloatType>> = { f: 'f32', h: 'f16' };

const I64_MAX = 0x7fff_ffff_ffff_ffffn;

export interface NumberValue {
  readonly type: LiteralType;
  readonly value: number | bigint;
}

interface Scanned {
  readonly end: number;
  readonly value: NumberValue;
}

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;
/** Whether a character could still belong to the literal. */
const goesOn = (code: number): boolean =>
  isDigit(code) || code === 0x2e || code === 0x5f || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a);
/** A double represents this many digits exactly, and no such literal is out of range. */
const MAX_PLAIN_DIGITS = 15;

/** Fast path for the most common literals, such as `12`, `3u` and `0.25`; null for others. */
function scanPlain(source: string, start: number): Scanned | null {
  let end = start;
  let code = 0;
  while (isDigit((code = source.charCodeAt(end)))) end++;
  const digits = end - start;
  if (digits === 0 || digits > MAX_PLAIN_DIGITS) return null;
  if (code === 0x2e) {
    end++;
    while (isDigit((code = source.charCodeAt(end)))) end++;
    if (goesOn(code)) return null;
    return { end, value: { type: 'abstract-float', value: Number(source.slice(start, end)) } };
  }
  if (digits > 1 && source.charCodeAt(start) === 0x30) return null;
  if (!goesOn(code)) return { end, value: { type: 'abstract-int', value: BigInt(source.slice(start, end)) } };
  if ((code !== 0x75 && code !== 0x69) || digits > 9 || goesOn(source.charCodeAt(end + 1))) return null;
  return { end: end + 1, value: { type: code === 0x75 ? 'u32' : 'i32', value: Number(source.slice(start, end)) } };
}

/** Reads the literal at `start`. A mistake is reported and gives 0 of the intended type. */
export function scanNumber(source: string, start: number, report: Reporter): Scanned {
  const plain = scanPlain(source, start);
  if (plain !== null) return plain;
  NUMBER.lastIndex = start;
  const body = NUMBER.exec(source)?.[0] ?? source.charAt(start);
  TAIL.lastIndex = start + body.length;
  const tail = TAIL.exec(source)![0];
  const end = start + body.length + tail.length;
  const text = body + tail;
  const span = { start, end };
  const hex = /^0[xX]/.test(body);
  const isFloat = hex ? /[.pP]/.test(body) : /[.eE]/.test(body);
  const fail = (code: 'invalid-number' | 'leading-zero'): Scanned => {
    report.error(code, span, [], text);
    return { end, value: { type: isFloat ? 'abstract-float' : 'abstract-int', value: isFloat ? 0 : 0n } };
  };
  const floatSuffix = (tail === 'f' || tail === 'h') && (!hex || /[pP]/.test(body));
  const intSuffix = !isFloat && (tail === 'i' || tail === 'u');
  if (tail !== '' && !floatSuffix && !intSuffix) return fail('invalid-number');
  if (!isFloat && !hex && body.length > 1 && body.startsWith('0')) return fail('leading-zero');
  const value =
    isFloat || floatSuffix
      ? floatValue(text, body, floatSuffix ? FLOAT_OF_SUFFIX[tail]! : 'abstract-float', span, report)
      : intValue(text, body, tail, span, report);
  return { end, value };
}

function intValue(
  text: string,
  body: string,
  suffix: string,
  span: { start: number; end: number },
  report: Reporter
): NumberValue {
  // Creating a BigInt takes more than linear time. Literals with more digits than this do not fit any type.
  const value = BigInt(/^0[xX]0*[0-9a-fA-F]{0,20}$|^\d{1,30}$/.test(body) ? body : `0x${'f'.repeat(17)}`);
  const limit = suffix === 'u' ? 0xffff_ffffn : suffix === 'i' ? 0x7fff_ffffn : I64_MAX;
  const type = suffix === 'u' ? 'u32' : suffix === 'i' ? 'i32' : 'abstract-int';
  const fits = value <= limit;
  if (!fits) report.error('literal-out-of-range', span, [], text, type === 'abstract-int' ? 'a 64-bit integer' : type);
  const kept = fits ? value : 0n;
  return { type, value: type === 'abstract-int' ? kept : Number(kept) };
}

function floatValue(
  text: string,
  body: string,
  type: FloatType,
  span: { start: number; end: number },
  report: Reporter
): NumberValue {
  const hex = /^0[xX]/.test(body);
  const what = type === 'abstract-float' ? 'a 64-bit float' : type;
  const exact = hex ? parseHexFloat(body) : { value: Number(body), rounded: false };
  const value = rounded(type, exact.value);
  if (!Number.isFinite(value)) {
    report.error('literal-out-of-range', span, [], text, what);
    return { type, value: 0 };
  }
  if (hex && (exact.rounded || value !== exact.value)) report.error('literal-not-exact', span, [], text, what);
  return { type, value };
}

/** Value of a hexadecimal float. `rounded` is set if 53 bits of mantissa cannot represent it. */
function parseHexFloat(body: string): { value: number; rounded: boolean } {
  const [mantissa, power] = body.slice(2).split(/[pP]/) as [string, string | undefined];
  const point = mantissa.indexOf('.');
  const fraction = point < 0 ? '' : mantissa.slice(point + 1);
  const digits = (point < 0 ? mantissa : mantissa.slice(0, point)) + fraction;
  let bits = BigInt(`0x${digits}`);
  if (bits === 0n) return { value: 0, rounded: false };
  // An exponent with more than nine digits is out of range for any mantissa. Clamping keeps the sum finite.
  let exponent = Math.max(-1e9, Math.min(1e9, Number(power ?? '0'))) - 4 * fraction.length;
  while ((bits & 1n) === 0n) {
    bits >>= 1n;
    exponent++;
  }
  const width = bits.toString(2).length;
  if (exponent + width > 1024) return { value: Infinity, rounded: false };
  const rounded = width > 53 || exponent < -1074;
  // Two steps, so that 2**exponent itself never underflows or overflows.
  const half = Math.trunc(exponent / 2);
  const value = Number(bits) * powerOfTwo(half) * powerOfTwo(exponent - half);
  return { value, rounded };
}

/** 2**n, exactly, for |n| ≤ 1023, and 0 for smaller n. */
function powerOfTwo(n: number): number {
  let value = 1;
  const factor = n < 0 ? 0.5 : 2;
  for (let i = Math.min(Math.abs(n), 1100); i > 0; i--) value *= factor;
  return value;
}
