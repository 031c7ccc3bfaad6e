// Decodes primitives that are compressed by Draco (KHR_draco_mesh_compression). Their accessors then refer to new
// buffers with the decoded numbers.
import type { GLTF } from '@gltf-transform/core';
import { quoted } from '../../base/printable';
import type { ModelBudget } from '../budget';
import { ModelError, messageOf } from '../errors';
import { damaged, isCount, reference } from './checks';
import type { DracoAttribute, DracoDecoder, DracoMesh, DracoModule } from './mesh-decoders';
import { discardDraco, dracoDecoder } from './mesh-decoders';
import { componentBytes, typeComponents } from './accessor-types';

const DRACO_EXTENSION = 'KHR_draco_mesh_compression';
const UNSIGNED_INT = 5125;
const TRIANGLES = 4;
const TRIANGLE_STRIP = 5;

interface Compressed {
  bufferView: number;
  /** Unique ids of the attributes in the compressed data, by semantic. */
  attributes: Record<string, number>;
}

/**
 * Decodes all compressed primitives of a file.
 * @param json whose primitives, accessors, buffer views and buffers are changed
 * @param buffers the bytes of each buffer, to which the new ones are appended
 * @throws ModelError
 */
export async function decodeDraco(json: GLTF.IGLTF, buffers: Uint8Array[], budget: ModelBudget): Promise<void> {
  /** Primitives that share their data and accessors are decoded once. */
  const done = new Map<string, DecodedIndices>();
  const data: Data = { json, buffers, budget, replaced: new Set() };
  for (const [m, mesh] of (json.meshes ?? []).entries()) {
    for (const [p, primitive] of mesh.primitives.entries()) {
      const extension = primitive.extensions?.[DRACO_EXTENSION];
      if (extension === undefined) continue;
      const what = `primitive ${p} of mesh ${m}`;
      const compressed = check(extension, json, primitive, what);
      const key = JSON.stringify([compressed, primitive.attributes, primitive.indices]);
      let decoded = done.get(key);
      if (!decoded) {
        decoded = await decodePrimitive(data, primitive, compressed, what);
        done.set(key, decoded);
      }
      primitive.attributes = { ...primitive.attributes, ...decoded.attributes };
      if (decoded.indices !== undefined) primitive.indices = decoded.indices;
      // The decoder returns separate triangles in either case.
      if (primitive.mode === TRIANGLE_STRIP) primitive.mode = TRIANGLES;
      delete primitive.extensions![DRACO_EXTENSION];
    }
  }
}

function check(extension: unknown, json: GLTF.IGLTF, primitive: GLTF.IMeshPrimitive, what: string): Compressed {
  if (typeof extension !== 'object' || extension === null) damaged(`the Draco data of ${what} is not described`);
  const { bufferView, attributes } = extension as Compressed;
  reference(bufferView, json.bufferViews, `the Draco buffer view of ${what}`);
  if (typeof attributes !== 'object' || attributes === null) damaged(`the Draco attributes of ${what} are missing`);
  const own = primitive.attributes as GLTF.IMeshPrimitive['attributes'] | undefined;
  for (const [name, id] of Object.entries(attributes)) {
    if (!isCount(id)) damaged(`the Draco attribute ${quoted(name)} of ${what} is ${quoted(id)}, not a number`);
    if (!isCount(own?.[name])) damaged(`${what} has the Draco attribute ${quoted(name)} alone`);
  }
  return { bufferView, attributes };
}

/** Indices of the accessors of a decoded primitive. */
type DecodedIndices = Pick<GLTF.IMeshPrimitive, 'attributes' | 'indices'>;

interface Data {
  readonly json: GLTF.IGLTF;
  readonly buffers: Uint8Array[];
  readonly budget: ModelBudget;
  /** Indices of the accessors that hold decoded numbers. */
  readonly replaced: Set<number>;
}

async function decodePrimitive(
  data: Data,
  primitive: GLTF.IMeshPrimitive,
  { bufferView, attributes }: Compressed,
  what: string
): Promise<DecodedIndices> {
  const { json, buffers, budget } = data;
  const view = json.bufferViews![bufferView];
  const start = view.byteOffset ?? 0;
  const source = buffers[view.buffer].subarray(start, start + view.byteLength);
  const position = json.accessors![primitive.attributes.POSITION ?? -1] as GLTF.IAccessor | undefined;
  checkHeader(source, position, json.accessors?.[primitive.indices ?? -1], what);
  const draco = await dracoDecoder();
  const decoding = new Decoding(draco, what);
  try {
    const mesh = decoding.open(source);
    const points = mesh.num_points();
    const result: DecodedIndices = { attributes: {} };
    for (const [name, id] of Object.entries(attributes)) {
      const accessor = json.accessors![primitive.attributes[name]];
      const components = typeComponents(accessor.type);
      const size = points * components * componentBytes(accessor.componentType);
      budget.spend(size, `${name} of ${what}, decompressed,`);
      const bytes = decoding.attribute(id, accessor.componentType, components, size, name);
      const plain = { ...accessor, count: points, sparse: undefined };
      result.attributes[name] = putAccessor(data, primitive.attributes[name], plain, bytes);
    }
    if (decoding.hasTriangles && (primitive.mode ?? TRIANGLES) >= TRIANGLES) {
      const count = 3 * mesh.num_faces();
      budget.spend(count * 4, `The indices of ${what}, decompressed,`);
      if (count === 0) damaged(`the Draco data of ${what} has no triangles`);
      const plain = { type: 'SCALAR', componentType: UNSIGNED_INT, count } as GLTF.IAccessor;
      result.indices = putAccessor(data, primitive.indices, plain, decoding.triangles(count * 4));
    }
    return result;
  } catch (error) {
    if (error instanceof ModelError) throw error;
    decoding.abandon();
    throw new ModelError(
      `The glTF file is damaged: the Draco data of ${what} cannot be decoded (${messageOf(error)}).`,
      { cause: error }
    );
  } finally {
    decoding.close();
  }
}

/**
 * Compares the numbers of triangles and vertices in the header with those of the accessors, so that a short file
 * cannot claim a huge mesh. Files with metadata before these numbers are checked after decoding only.
 */
function checkHeader(
  bytes: Uint8Array,
  position: GLTF.IAccessor | undefined,
  indices: GLTF.IAccessor | undefined,
  what: string
): void {
  if (String.fromCharCode(...bytes.subarray(0, 5)) !== 'DRACO') damaged(`the Draco data of ${what} has no header`);
  const [version, isMesh, isEdgebreaker, hasMetadata] = [
    bytes[5] * 256 + bytes[6],
    bytes[7] === 1,
    bytes[8] === 1,
    (bytes[10] & 0x80) !== 0,
  ];
  if (version < 0x202 || !isMesh || hasMetadata) return;
  let at = isEdgebreaker ? 12 : 11;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = bytes[at++] ?? 0;
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) break;
    }
    return value;
  };
  const first = varint();
  const second = varint();
  const faces = isEdgebreaker ? second : first;
  if (indices && isCount(indices.count) && faces * 3 > indices.count)
    damaged(`${what} has ${indices.count} indices, and its Draco data ${faces} triangles`);
  // Edgebreaker counts vertices before seams of attributes split them, and has at most three per triangle.
  if (position && isCount(position.count) && !isEdgebreaker && second > position.count)
    damaged(`${what} has ${position.count} positions, and its Draco data ${second}`);
}

/** Replaces the accessor with the index `old`, unless it already holds other decoded numbers. @returns its index */
function putAccessor(data: Data, old: number | undefined, accessor: GLTF.IAccessor, bytes: Uint8Array): number {
  const { json, buffers, replaced } = data;
  const buffer = (json.buffers ??= []).push({ byteLength: bytes.length }) - 1;
  buffers.push(bytes);
  const bufferView = json.bufferViews!.push({ buffer, byteOffset: 0, byteLength: bytes.length }) - 1;
  const index = old === undefined || replaced.has(old) ? json.accessors!.length : old;
  json.accessors![index] = { ...accessor, bufferView, byteOffset: 0 };
  replaced.add(index);
  return index;
}

/** One piece of Draco data and the objects in the decoder's memory that belong to it. */
class Decoding {
  hasTriangles = false;
  readonly #draco: DracoModule;
  readonly #what: string;
  readonly #decoder: DracoDecoder;
  readonly #objects: object[] = [];
  #mesh: DracoMesh | undefined;

  constructor(draco: DracoModule, what: string) {
    this.#draco = draco;
    this.#what = what;
    this.#decoder = this.#own(new draco.Decoder());
  }

  #own<T extends object>(object: T): T {
    this.#objects.push(object);
    return object;
  }

  open(source: Uint8Array): DracoMesh {
    const draco = this.#draco;
    const buffer = this.#own(new draco.DecoderBuffer());
    buffer.Init(source, source.length);
    const type = this.#decoder.GetEncodedGeometryType(buffer);
    this.hasTriangles = type === draco.TRIANGULAR_MESH;
    if (!this.hasTriangles && type !== draco.POINT_CLOUD)
      damaged(`the Draco data of ${this.#what} holds neither triangles nor points`);
    const mesh = this.#own(this.hasTriangles ? new draco.Mesh() : new draco.PointCloud());
    const status = this.hasTriangles
      ? this.#decoder.DecodeBufferToMesh(buffer, mesh)
      : this.#decoder.DecodeBufferToPointCloud(buffer, mesh);
    this.#own(status);
    if (!status.ok() || draco.getPointer(mesh) === 0)
      damaged(`the Draco data of ${this.#what} cannot be decoded (${quoted(status.error_msg())})`);
    this.#mesh = mesh;
    return mesh;
  }

  /** Returns an attribute of all points in the component type of its accessor. */
  attribute(id: number, componentType: number, components: number, size: number, name: string): Uint8Array {
    const attribute: DracoAttribute = this.#decoder.GetAttributeByUniqueId(this.#mesh!, id);
    if (this.#draco.getPointer(attribute) === 0)
      damaged(`the Draco data of ${this.#what} has no attribute ${id} (${quoted(name)})`);
    if (attribute.num_components() !== components)
      damaged(`${name} of ${this.#what} has ${components} components, and ${attribute.num_components()} in Draco`);
    const type = this.#dataType(componentType);
    return this.#copy(size, (pointer) =>
      this.#decoder.GetAttributeDataArrayForAllPoints(this.#mesh!, attribute, type, size, pointer)
    );
  }

  triangles(size: number): Uint8Array {
    return this.#copy(size, (pointer) => this.#decoder.GetTrianglesUInt32Array(this.#mesh!, size, pointer));
  }

  close(): void {
    try {
      for (const object of this.#objects.reverse()) this.#draco.destroy(object);
    } catch {
      // Damaged data may have overwritten what the decoder keeps of its objects.
      discardDraco();
    }
  }

  /** Leaves the decoder after it failed. Its memory is not touched again. */
  abandon(): void {
    discardDraco();
    this.#objects.length = 0;
  }

  #dataType(componentType: number): number {
    const { DT_INT8, DT_UINT8, DT_INT16, DT_UINT16, DT_UINT32, DT_FLOAT32 } = this.#draco;
    const types: Record<number, number> = {
      5120: DT_INT8,
      5121: DT_UINT8,
      5122: DT_INT16,
      5123: DT_UINT16,
      5125: DT_UINT32,
      5126: DT_FLOAT32,
    };
    return types[componentType] ?? damaged(`an attribute of ${this.#what} has an unknown component type`);
  }

  #copy(size: number, fill: (pointer: number) => boolean): Uint8Array {
    const pointer = this.#draco._malloc(size);
    try {
      if (pointer === 0 || !fill(pointer)) damaged(`the Draco data of ${this.#what} cannot be decoded`);
      return this.#draco.HEAPU8.slice(pointer, pointer + size);
    } finally {
      this.#draco._free(pointer);
    }
  }
}
