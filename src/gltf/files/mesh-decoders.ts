// The decoders of compressed meshes. Each is a library that is loaded for the first model that needs it.

/** The part of `meshoptimizer` that is used here. */
interface MeshoptDecoder {
  ready: Promise<void>;
  /** Fills `target` with `count` elements of `size` bytes. @throws Error if the data is damaged */
  decodeGltfBuffer(
    target: Uint8Array,
    count: number,
    size: number,
    source: Uint8Array,
    mode: string,
    filter?: string
  ): void;
}

/** An object in the memory of the Draco decoder. */
type DracoObject = object;
interface DracoStatus extends DracoObject {
  ok(): boolean;
  error_msg(): string;
}
export interface DracoMesh extends DracoObject {
  num_points(): number;
  num_faces(): number;
}
export interface DracoAttribute extends DracoObject {
  num_components(): number;
}
export interface DracoDecoder extends DracoObject {
  GetEncodedGeometryType(buffer: DracoObject): number;
  DecodeBufferToMesh(buffer: DracoObject, mesh: DracoMesh): DracoStatus;
  DecodeBufferToPointCloud(buffer: DracoObject, points: DracoMesh): DracoStatus;
  GetAttributeByUniqueId(mesh: DracoMesh, id: number): DracoAttribute;
  GetAttributeDataArrayForAllPoints(
    mesh: DracoMesh,
    attribute: DracoAttribute,
    type: number,
    bytes: number,
    pointer: number
  ): boolean;
  GetTrianglesUInt32Array(mesh: DracoMesh, bytes: number, pointer: number): boolean;
}

/** The part of `draco3dgltf` that is used here. */
export interface DracoModule {
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  readonly TRIANGULAR_MESH: number;
  readonly POINT_CLOUD: number;
  readonly DT_INT8: number;
  readonly DT_UINT8: number;
  readonly DT_INT16: number;
  readonly DT_UINT16: number;
  readonly DT_UINT32: number;
  readonly DT_FLOAT32: number;
  readonly Decoder: new () => DracoDecoder;
  readonly DecoderBuffer: new () => DracoObject & { Init(bytes: Uint8Array, length: number): void };
  readonly Mesh: new () => DracoMesh;
  readonly PointCloud: new () => DracoMesh;
  destroy(object: DracoObject): void;
  getPointer(object: DracoObject): number;
  _malloc(bytes: number): number;
  _free(pointer: number): void;
}

let meshopt: Promise<MeshoptDecoder> | undefined;
let draco: Promise<DracoModule> | undefined;

/** Returns the decoder of meshopt data. Its library is loaded by the first call. */
export function meshoptDecoder(): Promise<MeshoptDecoder> {
  return (meshopt ??= (async () => {
    const { MeshoptDecoder } = await import('../decoders/meshopt-decoder');
    await MeshoptDecoder.ready;
    return MeshoptDecoder;
  })());
}

/** Returns the decoder of Draco data. Its library is loaded by the first call, and again after `discardDraco`. */
export function dracoDecoder(): Promise<DracoModule> {
  return (draco ??= (async () => {
    const { createDracoDecoder } = await import('../decoders/draco-decoder');
    return (await createDracoDecoder()) as DracoModule;
  })());
}

/** Drops the Draco decoder, whose memory may be damaged after an error. */
export function discardDraco(): void {
  draco = undefined;
}
