// Packs uniforms and vertices in the layout of the shader's structs.
import type { Camera } from '../scene/camera';
import type { Geometry } from '../scene/geometry';
import type { MaterialData } from '../materials/material';
import { multiply, normalMatrix } from '../math';
import type { Draw } from '../scene/scene';
import { DRAW_BYTES, materialBytes } from '../materials/shader';
import { vertexAttributes, type Variant } from '../materials/variant';

/** Floats of the shader's `Draw` struct. */
export function drawUniforms(draw: Draw, camera: Camera): Float32Array {
  const data = new Float32Array(DRAW_BYTES / 4);
  data.set(multiply(camera.viewProjection, draw.matrix), 0);
  data.set(draw.matrix, 16);
  const n = normalMatrix(draw.matrix);
  // The matrix is scaled to about unit size, because cofactors of a tiny or huge scale would exceed single precision.
  const longest = Math.max(...n.map(Math.abs)) || 1;
  for (let column = 0; column < 3; column++)
    data.set(
      n.slice(column * 3, column * 3 + 3).map((x) => x / longest),
      32 + column * 4
    );
  data[35] = draw.mirrored ? -1 : 1;
  return data;
}

/** Floats of the shader's `Material` struct. */
export function materialUniforms(material: MaterialData, variant: Variant): Float32Array {
  const data = new Float32Array(materialBytes(variant) / 4);
  data.set([
    ...material.baseColor,
    ...material.emissive,
    material.alphaCutoff,
    material.metallic,
    material.roughness,
    material.normalScale,
    material.occlusionStrength,
  ]);
  variant.sources.forEach(({ transform }, i) => {
    const [a, b, c, d, x, y] = transform ?? [1, 0, 0, 1, 0, 0];
    data.set([a, b, x, 0, c, d, y, 0], 12 + i * 8);
  });
  return data;
}

/** Interleaves the attributes that a variant reads. A missing set of coordinates is zero. */
export function interleave(geometry: Geometry, variant: Variant): Float32Array {
  const sources: Record<string, Float32Array | undefined> = {
    position: geometry.positions,
    normal: geometry.normals,
    tangent: geometry.tangents,
    color: geometry.colors,
    uv0: geometry.uvs[0],
    uv1: geometry.uvs[1],
  };
  const attributes = vertexAttributes(variant);
  const stride = attributes.reduce((sum, { components }) => sum + components, 0);
  const out = new Float32Array(geometry.vertexCount * stride);
  let offset = 0;
  for (const { name, components } of attributes) {
    const from = sources[name];
    if (from) {
      for (let v = 0; v < geometry.vertexCount; v++) {
        for (let c = 0; c < components; c++) out[v * stride + offset + c] = from[v * components + c];
      }
    }
    offset += components;
  }
  return out;
}
