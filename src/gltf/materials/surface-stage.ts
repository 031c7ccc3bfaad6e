// WGSL of what surfaces are instead of how they look: their normal, distance and ids, or their motion.
import type { SurfaceKind } from './scene-shader';
import { surfaceNormal } from './shading';
import type { Variant } from './variant';

/** Members at the end of the `Draw` struct. */
export const DRAW_MEMBERS: Readonly<Record<SurfaceKind, string>> = {
  surface: 'ids: vec4u, // object and material\n  range: vec4f, // near, far − near, 1 if orthographic',
  motion: 'next: mat4x4f, // clip in the next frame\n  size: vec4f, // half the size of the picture; y points down',
};

/** Inter-stage variables. */
export const surfaceVaryings = (kind: SurfaceKind): [name: string, type: string][] =>
  kind === 'surface'
    ? [
        ['ids', 'vec2u'],
        ['distance', 'f32'],
      ]
    : [
        ['now', 'vec4f'],
        ['later', 'vec4f'],
      ];

/**
 * Lines of the vertex stage.
 * @param now WGSL of the position in clip space
 * @param next WGSL of that in the next frame
 */
export const surfaceVertex = (kind: SurfaceKind, now: string, next: string): string[] =>
  kind === 'surface'
    ? [
        'out.ids = draw.ids.xy;',
        // The last row of a perspective matrix is the view direction, so that w is the distance along it.
        'out.distance = select(out.clip.w, draw.range.x + out.clip.z * draw.range.y, draw.range.z > 0);',
      ]
    : ['let scale = vec4f(draw.size.xy, 1, 1);', `out.now = ${now} * scale;`, `out.later = ${next} * scale;`];

/** The fragment stage. @param lines that read textures and discard cut-out fragments */
export function surfaceStage(variant: Variant, kind: SurfaceKind, lines: readonly string[]): string {
  if (kind === 'motion')
    return `
@fragment fn fs(in: Varyings) -> @location(0) vec4f {
  ${lines.join('\n  ')}
  // What is behind the eye in the next frame has no place in its picture.
  let isSeen = in.later.w > 0;
  let later = in.later.xy / select(1.0, in.later.w, isSeen);
  return vec4f(select(vec2f(0), later - in.now.xy / in.now.w, isSeen), 1, 0);
}`;
  const facing = variant.doubleSided && !variant.unlit ? ', @builtin(front_facing) front: bool' : '';
  return `
struct Surface { @location(0) normal: vec4f, @location(1) ids: vec2u }
@fragment fn fs(in: Varyings${facing}) -> Surface {
  ${lines.join('\n  ')}
  ${(variant.unlit ? ['let n = vec3f(0); // lines and points'] : surfaceNormal(variant)).join('\n  ')}
  return Surface(vec4f(n, in.distance), in.ids);
}`;
}
