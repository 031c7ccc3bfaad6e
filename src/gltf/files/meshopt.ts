// Decodes buffer views that are compressed by meshoptimizer (EXT_meshopt_compression, KHR_meshopt_compression).
import type { GLTF } from '@gltf-transform/core';
import { quoted } from '../../base/printable';
import type { ModelBudget } from '../budget';
import { ModelError, messageOf } from '../errors';
import { isCount, range, reference, damaged, type Loose } from './checks';
import { meshoptDecoder } from './mesh-decoders';

/** The extensions that share this format, in order of preference. */
const MESHOPT_EXTENSIONS = ['KHR_meshopt_compression', 'EXT_meshopt_compression'] as const;

const MODES = ['ATTRIBUTES', 'TRIANGLES', 'INDICES'];
const FILTERS = ['NONE', 'OCTAHEDRAL', 'QUATERNION', 'EXPONENTIAL', 'COLOR'];

interface Compressed {
  buffer: number;
  byteOffset?: number;
  byteLength: number;
  byteStride: number;
  count: number;
  mode: string;
  filter?: string;
}

const extensionOf = (object: { extensions?: Record<string, unknown> }): unknown =>
  MESHOPT_EXTENSIONS.map((name) => object.extensions?.[name]).find((each) => each !== undefined);

/** Whether a buffer only exists for readers without the extension. Its bytes may be missing and are not read. */
export const isFallbackBuffer = (buffer: GLTF.IBuffer): boolean =>
  (extensionOf(buffer as { extensions?: Record<string, unknown> }) as Loose | undefined)?.fallback === true;

/**
 * Marks the fallback buffers of writers that do not: those without a URI whose views are all compressed.
 * @param json whose buffers are changed
 */
export function markFallbackBuffers({ buffers, bufferViews }: GLTF.IGLTF): void {
  const isCompressed = (view: GLTF.IBufferView): boolean =>
    extensionOf(view as { extensions?: Record<string, unknown> }) !== undefined;
  const views = bufferViews ?? [];
  const used = new Set(views.filter(isCompressed).map(({ buffer }) => buffer));
  for (const view of views) if (!isCompressed(view)) used.delete(view.buffer);
  for (const index of used) {
    const buffer = buffers?.[index];
    // The first buffer may be the binary part of a .glb.
    if (index > 0 && buffer && buffer.uri === undefined)
      buffer.extensions = { ...buffer.extensions, [MESHOPT_EXTENSIONS[0]]: { fallback: true } };
  }
}

/**
 * Replaces compressed buffer views by views of new buffers that hold their decoded bytes.
 * @param json whose buffers and buffer views are changed
 * @param buffers the bytes of each buffer, to which the new ones are appended
 * @throws ModelError
 */
export async function decodeMeshopt(json: GLTF.IGLTF, buffers: Uint8Array[], budget: ModelBudget): Promise<void> {
  const views = (json.bufferViews ?? []).flatMap((view, i) => {
    const compressed = extensionOf(view as { extensions?: Record<string, unknown> });
    return compressed === undefined ? [] : [{ view, i, compressed }];
  });
  if (views.length === 0) return;
  const decoder = await meshoptDecoder();
  for (const { view, i, compressed } of views) {
    const what = `the compressed data of buffer view ${i}`;
    const source = check(compressed, json, view, what);
    const size = source.count * source.byteStride;
    budget.spend(size, `Buffer view ${i}, decompressed,`);
    const start = source.byteOffset ?? 0;
    const target = new Uint8Array(size);
    try {
      const bytes = buffers[source.buffer].subarray(start, start + source.byteLength);
      decoder.decodeGltfBuffer(target, source.count, source.byteStride, bytes, source.mode, source.filter ?? 'NONE');
    } catch (error) {
      throw new ModelError(`The glTF file is damaged: ${what} cannot be decoded (${messageOf(error)}).`, {
        cause: error,
      });
    }
    view.buffer = json.buffers!.push({ byteLength: size }) - 1;
    view.byteOffset = 0;
    view.byteLength = size;
    buffers.push(target);
    for (const name of MESHOPT_EXTENSIONS) delete (view.extensions as Loose | undefined)?.[name];
  }
}

function check(extension: unknown, json: GLTF.IGLTF, view: GLTF.IBufferView, what: string): Compressed {
  if (typeof extension !== 'object' || extension === null) damaged(`${what} is not described`);
  const given = extension as Compressed;
  reference(given.buffer, json.buffers, `the buffer of ${what}`);
  range(json.buffers![given.buffer].byteLength, given.byteOffset, given.byteLength, what);
  if (!MODES.includes(given.mode)) damaged(`${what} has the unknown mode ${quoted(given.mode)}`);
  if (given.filter !== undefined && !FILTERS.includes(given.filter))
    damaged(`${what} has the unknown filter ${quoted(given.filter)}`);
  const { count, byteStride: stride, mode } = given;
  if (!isCount(count) || count === 0) damaged(`${what} has a count of ${quoted(count)}`);
  const fits =
    mode === 'ATTRIBUTES'
      ? isCount(stride) && stride % 4 === 0 && stride >= 4 && stride <= 256
      : stride === 2 || stride === 4;
  if (!fits) damaged(`${what} has a stride of ${quoted(stride)}`);
  if (mode === 'TRIANGLES' && count % 3 !== 0) damaged(`${what} has ${count} indices, which are no triangles`);
  if (count * stride < view.byteLength)
    damaged(`${what} decodes to ${count * stride} bytes, and the buffer view has ${view.byteLength}`);
  return given;
}
