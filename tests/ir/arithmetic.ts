// Operations on scalars, one by one.
import type { ConstantMath } from '../../src/ir';
import {
  binaryText,
  bits,
  extract,
  f32,
  fraction,
  halfOf,
  halfValue,
  i,
  insert,
  nearest,
  truth,
  u,
  word,
} from './words';

export function float(op: string, a: readonly number[], math: ConstantMath): number {
  const [x, y] = a.map(f32) as [number, number];
  switch (op) {
    case 'add':
      return bits(Math.fround(x + y));
    case 'sub':
      return bits(Math.fround(x - y));
    case 'mul':
      return bits(Math.fround(x * y));
    case 'div':
      return bits(Math.fround(x / y));
    case 'rem':
      return bits(Math.fround(x - Math.fround(y * Math.trunc(Math.fround(x / y)))));
    case 'min':
      return y < x ? a[1]! : a[0]!;
    case 'max':
      return x < y ? a[1]! : a[0]!;
    case 'neg':
      return (a[0]! ^ 0x80000000) >>> 0;
    case 'abs':
      return a[0]! % 0x80000000;
    case 'sign':
      return bits(x > 0 ? 1 : x < 0 ? -1 : 0);
    case 'floor':
      return bits(Math.floor(x));
    case 'ceil':
      return bits(Math.ceil(x));
    case 'trunc':
      return bits(Math.trunc(x));
    case 'round':
      return bits(nearest(x));
    case 'fract':
      return bits(Math.fround(x - Math.floor(x)));
    case 'sqrt':
      return bits(Math.fround(Math.sqrt(x)));
    case 'ldexp':
      return bits(Math.fround(x * 2 ** Math.max(-400, Math.min(400, a[1]! | 0))));
    case 'frexpFraction':
      return bits(fraction(x)[0]);
    case 'frexpExponent':
      return fraction(x)[1] >>> 0;
    case 'quantizeToF16':
      return bits(halfValue(halfOf(x)));
    case 'eq':
      return truth(x === y);
    case 'ne':
      return truth(x !== y);
    case 'lt':
      return truth(x < y);
    case 'le':
      return truth(x <= y);
    case 'gt':
      return truth(x > y);
    case 'ge':
      return truth(x >= y);
    case 'fromI32':
      return bits(Math.fround(a[0]! | 0));
    case 'fromU32':
      return bits(Math.fround(a[0]!));
    case 'fromBool':
      return a[0] ? 0x3f800000 : 0;
    case 'fromBits':
      return a[0]!;
    case 'pow':
    case 'atan2':
      return bits(math.binary(op, x, y));
    default:
      return bits(math.unary(op, x));
  }
}

export function integer(op: string, signed: boolean, a: readonly number[]): number {
  const read = signed ? i : u;
  const [x, y] = [read(a[0]!), read(a[1] ?? 0)];
  const shift = BigInt((a[1] ?? 0) & 31);
  const text = (): string => binaryText(a[0]!);
  switch (op) {
    case 'add':
      return word(x + y);
    case 'sub':
      return word(x - y);
    case 'mul':
      return word(x * y);
    case 'and':
      return word(u(a[0]!) & u(a[1]!));
    case 'or':
      return word(u(a[0]!) | u(a[1]!));
    case 'xor':
      return word(u(a[0]!) ^ u(a[1]!));
    case 'neg':
      return word(-x);
    case 'not':
      return word(~x);
    case 'shl':
      return word(x << shift);
    case 'shr':
      return word(x >> shift);
    case 'eq':
      return truth(x === y);
    case 'ne':
      return truth(x !== y);
    case 'lt':
      return truth(x < y);
    case 'le':
      return truth(x <= y);
    case 'gt':
      return truth(x > y);
    case 'ge':
      return truth(x >= y);
    case 'div':
      return y === 0n ? a[0]! : word(x / y);
    case 'rem':
      return y === 0n ? 0 : word(x % y);
    case 'min':
      return word(y < x ? y : x);
    case 'max':
      return word(y > x ? y : x);
    case 'abs':
      return word(x < 0n ? -x : x);
    case 'sign':
      return word(x > 0n ? 1n : x < 0n ? -1n : 0n);
    case 'countLeadingZeros':
      return text().includes('1') ? text().indexOf('1') : 32;
    case 'countTrailingZeros':
      return text().includes('1') ? 31 - text().lastIndexOf('1') : 32;
    case 'countOneBits':
      return text().replaceAll('0', '').length;
    case 'reverseBits':
      return parseInt([...text()].reverse().join(''), 2);
    case 'firstLeadingBit': {
      const at = text().indexOf(signed && x < 0n ? '0' : '1');
      return at < 0 ? 0xffffffff : 31 - at;
    }
    case 'firstTrailingBit':
      return text().includes('1') ? 31 - text().lastIndexOf('1') : 0xffffffff;
    case 'extractBits':
      return extract(a[0]!, a[1]!, a[2]!, signed);
    case 'insertBits':
      return insert(a[0]!, a[1]!, a[2]!, a[3]!);
    case 'fromF32': {
      const value = f32(a[0]!);
      const [least, most] = signed ? [-0x80000000, 2147483520] : [0, 4294967040];
      return Number.isNaN(value) ? 0 : word(BigInt(Math.max(least, Math.min(most, Math.trunc(value)))));
    }
    case 'fromBool':
      return a[0] ? 1 : 0;
    case 'cast':
      return a[0]!;
    case 'fromF32Bits':
      return bits(f32(a[0]!));
    default:
      throw new Error(`no integer operation ${op}`);
  }
}
