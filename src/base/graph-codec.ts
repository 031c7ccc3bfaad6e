// Stores graphs of plain objects as bytes: arrays, sets, maps, typed arrays, numbers of every kind, undefined, shared
// objects and cycles. JSON, which engines parse quickly, holds everything but the contents of typed arrays.
//
//   u32 length of the text │ text: JSON of the list of nodes │ typed arrays, at multiples of 8 bytes
//
// A node is a JSON object for a plain object, or an array that begins with a tag. Values inside nodes are themselves if
// they are strings, finite numbers, booleans or null; all others are arrays: [n] refers to node n.

/** Objects that are not stored by content: `pack` describes one in plain data, and `unpack` finds it again. */
export interface Atoms {
  /** Returns null for objects that are stored by content. */
  pack(value: object): readonly unknown[] | null;
  /** Throws if no object fits. */
  unpack(packed: readonly unknown[]): object;
}

const ARRAY = 0;
const SET = 1;
const MAP = 2;
const TYPED = 3;
const ATOM = 4;
const TYPED_ARRAYS = [Uint8Array, Uint32Array, Int32Array, Float32Array, Float64Array] as const;
type Typed = InstanceType<(typeof TYPED_ARRAYS)[number]>;
const ALIGNMENT = 8;
const LENGTH_BYTES = 4;

const align = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;

/** Values that JSON lacks, by their names. */
const SPECIAL = new Map<string, unknown>([
  ['undefined', undefined],
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
  ['-0', -0],
]);

class Encoder {
  private readonly numbers = new Map<object, number>();
  private readonly nodes: unknown[] = [];
  private readonly typed: Typed[] = [];
  private typedBytes = 0;

  constructor(private readonly atoms: Atoms) {}

  encode(root: object): Uint8Array<ArrayBuffer> {
    this.value(root);
    const text = new TextEncoder().encode(JSON.stringify(this.nodes));
    const begin = align(LENGTH_BYTES + text.length);
    const bytes = new Uint8Array(begin + this.typedBytes);
    new DataView(bytes.buffer).setUint32(0, text.length, true);
    bytes.set(text, LENGTH_BYTES);
    let at = begin;
    for (const array of this.typed) {
      bytes.set(new Uint8Array(array.buffer, array.byteOffset, array.byteLength), at);
      at += align(array.byteLength);
    }
    return bytes;
  }

  private value(value: unknown): unknown {
    if (typeof value === 'object' && value !== null) return [this.number(value)];
    if (typeof value === 'number') {
      if (Object.is(value, -0)) return ['-0'];
      return Number.isFinite(value) ? value : [String(value)];
    }
    if (value === undefined) return ['undefined'];
    if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
    throw new TypeError(`a ${typeof value} cannot be stored`);
  }

  /** The number of an object's node. */
  private number(object: object): number {
    const known = this.numbers.get(object);
    if (known !== undefined) return known;
    const number = this.nodes.length;
    this.numbers.set(object, number);
    this.nodes.push(null);
    this.nodes[number] = this.node(object);
    return number;
  }

  private node(object: object): unknown {
    const packed = this.atoms.pack(object);
    if (packed !== null) return [ATOM, ...packed];
    if (Array.isArray(object)) return [ARRAY, ...object.map((each) => this.value(each))];
    if (object instanceof Set) return [SET, ...[...object].map((each) => this.value(each))];
    if (object instanceof Map) return [MAP, ...[...object].flat().map((each) => this.value(each))];
    const type = TYPED_ARRAYS.findIndex((each) => object instanceof each);
    if (type >= 0) return this.typedArray(type, object as Typed);
    const prototype: unknown = Object.getPrototypeOf(object);
    if (prototype !== Object.prototype && prototype !== null)
      throw new TypeError(`an object of the class ${object.constructor.name} cannot be stored`);
    return Object.fromEntries(Object.entries(object).map(([key, each]) => [key, this.value(each)]));
  }

  private typedArray(type: number, array: Typed): unknown {
    const offset = this.typedBytes;
    this.typed.push(array);
    this.typedBytes += align(array.byteLength);
    return [TYPED, type, offset, array.byteLength];
  }
}

class Decoder {
  private readonly objects: object[] = [];

  constructor(
    private readonly bytes: Uint8Array<ArrayBuffer>,
    private readonly atoms: Atoms
  ) {}

  decode(): object {
    const { bytes } = this;
    const textBytes = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
    const text = new TextDecoder().decode(bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + textBytes));
    const nodes = JSON.parse(text) as object[];
    const begin = align(LENGTH_BYTES + textBytes);
    for (const node of nodes) this.objects.push(Array.isArray(node) ? this.begun(node, begin) : node);
    nodes.forEach((node, number) => this.fill(node, this.objects[number]!));
    return this.objects[0]!;
  }

  /** An object whose contents are still missing, unless it is a typed array or an atom. */
  private begun([tag, ...rest]: unknown[], begin: number): object {
    switch (tag) {
      case ARRAY:
        return [];
      case SET:
        return new Set();
      case MAP:
        return new Map();
      case TYPED: {
        const [type, offset, length] = rest as [number, number, number];
        // The copy does not keep the other parts of the record alive.
        const copy = this.bytes.slice(begin + offset, begin + offset + length);
        return new TYPED_ARRAYS[type]!(copy.buffer);
      }
      case ATOM:
        return this.atoms.unpack(rest);
      default:
        throw new TypeError(`unknown tag ${String(tag)}`);
    }
  }

  private fill(node: object, object: object): void {
    if (!Array.isArray(node)) {
      for (const [key, value] of Object.entries(node)) (node as Record<string, unknown>)[key] = this.value(value);
      return;
    }
    const values = node as unknown[];
    if (values[0] === ARRAY) for (let i = 1; i < values.length; i++) (object as unknown[]).push(this.value(values[i]));
    else if (values[0] === SET)
      for (let i = 1; i < values.length; i++) (object as Set<unknown>).add(this.value(values[i]));
    else if (values[0] === MAP)
      for (let i = 1; i < values.length; i += 2)
        (object as Map<unknown, unknown>).set(this.value(values[i]), this.value(values[i + 1]));
  }

  private value(value: unknown): unknown {
    if (!Array.isArray(value)) return value;
    const [name] = value as [number | string];
    return typeof name === 'number' ? this.objects[name] : SPECIAL.get(name);
  }
}

const NO_ATOMS: Atoms = {
  pack: () => null,
  unpack: () => {
    throw new TypeError('an unknown atom');
  },
};

/** Throws a TypeError for functions, symbols, big integers and objects with a class of their own. */
export const encodeGraph = (root: object, atoms = NO_ATOMS): Uint8Array<ArrayBuffer> => new Encoder(atoms).encode(root);

/** Throws if the bytes are not a graph. The objects are new, except for atoms. */
export const decodeGraph = (bytes: Uint8Array<ArrayBuffer>, atoms = NO_ATOMS): object =>
  new Decoder(bytes, atoms).decode();
