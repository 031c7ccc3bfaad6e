// Builds small glTF files for tests: JSON with one binary buffer, as .glb bytes.

type Json = Record<string, unknown>;

/** Packs JSON and binary data into a .glb. */
export function glb(json: Json, binary: Uint8Array = new Uint8Array(0)): Uint8Array {
  const text = pad(new TextEncoder().encode(JSON.stringify(json)), 0x20);
  const data = pad(binary, 0);
  const out = new Uint8Array(12 + 8 + text.length + (data.length > 0 ? 8 + data.length : 0));
  const view = new DataView(out.buffer);
  view.setUint32(0, 0x46546c67, true);
  view.setUint32(4, 2, true);
  view.setUint32(8, out.length, true);
  view.setUint32(12, text.length, true);
  view.setUint32(16, 0x4e4f534a, true);
  out.set(text, 20);
  if (data.length > 0) {
    view.setUint32(20 + text.length, data.length, true);
    view.setUint32(24 + text.length, 0x004e4942, true);
    out.set(data, 28 + text.length);
  }
  return out;
}

function pad(bytes: Uint8Array, filler: number): Uint8Array {
  const out = new Uint8Array((bytes.length + 3) & ~3).fill(filler);
  out.set(bytes);
  return out;
}

const COMPONENT = new Map<unknown, number>([
  [Float32Array, 5126],
  [Uint32Array, 5125],
  [Uint16Array, 5123],
  [Uint8Array, 5121],
  [Int16Array, 5122],
  [Int8Array, 5120],
]);
const SIZE: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
type Numbers = Float32Array | Uint32Array | Uint16Array | Uint8Array | Int16Array | Int8Array;

/** Collects accessors in one buffer. */
export class Builder {
  readonly json: Json & { accessors: Json[]; bufferViews: Json[]; buffers: Json[] } = {
    asset: { version: '2.0' },
    buffers: [],
    bufferViews: [],
    accessors: [],
  };
  #bytes = new Uint8Array(0);

  /** Adds a buffer view that holds the bytes. Returns its index. */
  view(data: Numbers): number {
    const offset = (this.#bytes.length + 3) & ~3;
    const grown = new Uint8Array(offset + data.byteLength);
    grown.set(this.#bytes);
    grown.set(new Uint8Array(data.buffer, data.byteOffset, data.byteLength), offset);
    this.#bytes = grown;
    return this.json.bufferViews.push({ buffer: 0, byteOffset: offset, byteLength: data.byteLength }) - 1;
  }

  /** Adds an accessor that holds the numbers. Returns its index. */
  accessor(type: string, data: Numbers, more: Json = {}): number {
    const bufferView = this.view(data);
    return (
      this.json.accessors.push({
        bufferView,
        componentType: COMPONENT.get(data.constructor),
        type,
        count: data.length / SIZE[type],
        ...more,
      }) - 1
    );
  }

  binary(): Uint8Array {
    return this.#bytes;
  }

  glb(more: Json): Uint8Array {
    this.json.buffers = [{ byteLength: this.#bytes.length }];
    return glb({ ...this.json, ...more }, this.#bytes);
  }
}

export const TRIANGLE = new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]);

/** A scene of one node with one mesh, whose primitive the callback describes. */
export function oneMesh(describe: (builder: Builder) => Json, more: Json = {}): Uint8Array {
  const builder = new Builder();
  const primitive = describe(builder);
  return builder.glb({
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ name: 'shape', primitives: [primitive] }],
    ...more,
  });
}

/** The JSON of a file with one triangle, to be damaged by tests, with its binary buffer. */
export function triangleFile(): {
  json: Json & { accessors: Json[]; bufferViews: Json[]; buffers: Json[] };
  binary: Uint8Array;
} {
  const builder = new Builder();
  const positions = builder.accessor('VEC3', TRIANGLE, { min: [0, 0, 0], max: [1, 1, 0] });
  const indices = builder.accessor('SCALAR', new Uint16Array([0, 1, 2]));
  const binary = builder.binary();
  const json = {
    ...builder.json,
    buffers: [{ byteLength: binary.length }],
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: positions }, indices }] }],
  };
  return { json, binary };
}
