// Converts half and double precision accessors (KHR_accessor_float16, KHR_accessor_float64) to single precision.
import type { GLTF } from '@gltf-transform/core';
import type { ModelBudget } from '../budget';
import { halfToFloat } from '../math';
import { componentBytes, DOUBLE, FLOAT, HALF_FLOAT, typeComponents } from './accessor-types';

/**
 * Converts all such accessors. Their ranges have been checked.
 * @param json whose accessors, buffer views and buffers are changed
 * @param buffers the bytes of each buffer, to which the new ones are appended
 */
export function convertToFloat32(json: GLTF.IGLTF, buffers: Uint8Array[], budget: ModelBudget): void {
  json.accessors?.forEach((accessor, i) => {
    const from: number = accessor.componentType;
    if (from !== HALF_FLOAT && from !== DOUBLE) return;
    const convert = (at: { bufferView: number; byteOffset?: number }, count: number): void => {
      const components = typeComponents(accessor.type);
      const view = json.bufferViews![at.bufferView];
      const bytes = buffers[view.buffer];
      const size = componentBytes(from);
      const stride = view.byteStride ?? size * components;
      const data = new DataView(bytes.buffer, bytes.byteOffset + (view.byteOffset ?? 0) + (at.byteOffset ?? 0));
      budget.spend(count * components * 4, `Accessor ${i}, in single precision,`);
      const floats = new Float32Array(count * components);
      for (let k = 0; k < floats.length; k++) {
        const offset = Math.floor(k / components) * stride + (k % components) * size;
        floats[k] = from === DOUBLE ? data.getFloat64(offset, true) : halfToFloat(data.getUint16(offset, true));
      }
      const buffer = json.buffers!.push({ byteLength: floats.byteLength }) - 1;
      buffers.push(new Uint8Array(floats.buffer));
      at.bufferView = json.bufferViews!.push({ buffer, byteOffset: 0, byteLength: floats.byteLength }) - 1;
      at.byteOffset = 0;
    };
    accessor.componentType = FLOAT;
    if (accessor.bufferView !== undefined) convert(accessor as { bufferView: number }, accessor.count);
    if (accessor.sparse) convert(accessor.sparse.values, accessor.sparse.count);
  });
}
