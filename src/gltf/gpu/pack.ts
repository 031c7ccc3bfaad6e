// Packs uniforms and vertices in the layout of the shader's structs.
import type { Camera } from '../scene/camera';
import type { Geometry } from '../scene/geometry';
import type { MaterialData } from '../materials/material';
import { exp2, multiply, normalMatrix } from '../math';
import type { Draw } from '../scene/scene';
import { LAYER_NAMES } from '../materials/layers';
import type { OutputKind, SceneShader } from '../materials/scene-shader';
import { DRAW_BYTES, drawBytes, materialBytes, transformOffset } from '../materials/shader';
import { vertexAttributes, type Variant } from '../materials/variant';
import { KEY_DIRECTION, KEY_STRENGTH } from '../light/studio';
import type { Lighting } from '../light/lighting';
import { frameBytes } from '../materials/shading';
import type { SceneLight } from '../scene/lights';
import { toTexture, type ShadowViews } from '../scene/shadow-views';

/** Widths of lines and points in pixels, and the size of the picture. */
export interface Strokes {
  lineWidth: number;
  pointSize: number;
  width: number;
  height: number;
}

/**
 * Floats of the shader's `Draw` struct.
 * @param nextCamera camera of the next frame, for motion
 */
export function drawUniforms(
  draw: Draw,
  camera: Camera,
  strokes: Strokes,
  kind: OutputKind = 'color',
  nextCamera = camera
): Float32Array {
  const data = new Float32Array(drawBytes(kind) / 4);
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
  const pixels = draw.geometry.topology === 'points' ? strokes.pointSize : strokes.lineWidth;
  data[39] = pixels / strokes.width;
  data[43] = pixels / strokes.height;
  const extra = DRAW_BYTES / 4;
  if (kind === 'surface') {
    new Uint32Array(data.buffer).set([draw.ids.object, draw.ids.material], extra);
    data.set([camera.near, camera.far - camera.near, camera.orthographic ? 1 : 0], extra + 4);
  }
  if (kind === 'motion') {
    data.set(multiply(nextCamera.viewProjection, draw.nextMatrix ?? draw.matrix), extra);
    data.set([strokes.width / 2, -strokes.height / 2], extra + 16);
  }
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
    ...LAYER_NAMES.flatMap((name) => material.layers[name] ?? []),
  ]);
  const first = transformOffset(variant);
  variant.sources.forEach(({ transform }, i) => {
    const [a, b, c, d, x, y] = transform ?? [1, 0, 0, 1, 0, 0];
    data.set([a, b, x, 0, c, d, y, 0], first + i * 8);
  });
  return data;
}

/**
 * Interleaves the attributes that a variant reads. A missing set of coordinates is zero. Lines and points get their
 * vertices in the order of their indices.
 */
export function interleave(geometry: Geometry, variant: Variant): Float32Array {
  const sources: Record<string, Float32Array | undefined> = {
    position: geometry.positions,
    normal: geometry.normals,
    tangent: geometry.tangents,
    color: geometry.colors,
    next: geometry.next,
    ...Object.fromEntries(geometry.uvs.map((uv, i) => [`uv${i}`, uv])),
  };
  const attributes = vertexAttributes(variant);
  const stride = attributes.reduce((sum, { components }) => sum + components, 0);
  const order = geometry.topology === 'triangles' ? undefined : geometry.indices;
  const count = order?.length ?? geometry.vertexCount;
  const out = new Float32Array(count * stride);
  let offset = 0;
  for (const { name, components } of attributes) {
    const from = sources[name];
    if (from) place(from, components, order, out.subarray(offset), stride);
    offset += components;
  }
  return out;
}

/** Writes an attribute of vertices to the beginning of every `stride` floats. */
function place(
  from: Float32Array,
  components: number,
  order: Uint32Array | undefined,
  out: Float32Array,
  stride: number
): void {
  for (let v = 0, o = 0; o < out.length; v++, o += stride) {
    const source = (order ? order[v] : v) * components;
    for (let c = 0; c < components; c++) out[o + c] = from[source + c];
  }
}

/** The shadow maps of a scene's lights, and their width in texels. */
export interface ShadowMapPlan {
  plan: ShadowViews;
  size: number;
}

/** Floats of the shader's `Frame` struct, except what depends on the camera and on what is behind. */
export function frameUniforms(
  scene: SceneShader,
  { environment: { harmonics, turn }, settings }: Lighting,
  lights: readonly SceneLight[],
  shadows: ShadowMapPlan | undefined
): Float32Array {
  const data = new Float32Array(frameBytes(scene) / 4);
  if (scene.exposed) data[data.length - 4] = exp2(settings.exposure);
  // The studio is grey, and its lights are those of red.
  const [one, x, y, z, xy, yz, zx, zz, xxyy] = harmonics.map(([red]) => red);
  data.set([
    0,
    0,
    0,
    xxyy,
    ...KEY_DIRECTION,
    scene.environment === 'image' ? 0 : KEY_STRENGTH * settings.intensity,
    x,
    y,
    z,
    one,
    xy,
    yz,
    zx,
    zz,
  ]);
  if (scene.environment === 'image')
    data.set(
      harmonics.flatMap((rgb) => [...rgb, 0]),
      16
    );
  if (turn) [0, 1, 2].forEach((k) => data.set(turn.slice(k * 3, k * 3 + 3), TURN + 4 * k));
  const mapsOf = (i: number): [first: number, isCube: number] =>
    shadows ? [shadows.plan.first[i], shadows.plan.isCube[i] ? 1 : 0] : [0, 0];
  lights.forEach(({ color, position, direction, range, cone }, i) =>
    data.set(
      [
        ...color,
        position ? 1 : 0,
        ...(position ?? [0, 0, 0]),
        1 / (range * range),
        ...direction,
        0,
        ...cone,
        ...mapsOf(i),
      ],
      lightOffset(scene) + 16 * i
    )
  );
  shadows?.plan.views.forEach(({ clip, axis, texel }, i) =>
    data.set([...toTexture(clip), ...axis, shadows.size, ...texel, 0, 0], shadowOffset(scene) + 24 * i)
  );
  return data;
}

/** Offset in floats of the turn of the environment, which follows its harmonics. */
const TURN = 52;
/** Offsets in floats of the lights, of their shadow maps, and of the matrix and the size for what is behind. */
const lightOffset = (scene: SceneShader): number =>
  16 + (scene.environment === 'image' ? 36 : 0) + (scene.turned ? 12 : 0);
const shadowOffset = (scene: SceneShader): number => lightOffset(scene) + 16 * scene.lights;
export const behindOffset = (scene: SceneShader): number => shadowOffset(scene) + 24 * scene.shadows;
