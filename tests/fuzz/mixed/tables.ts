// Modular pipelines of the mixed frames: WGSL of their slots, and bounds for the number of triangles.
import type { ModularStage } from '../../../src/index';
import type { Slot, VertexLook } from './looks';

/** Maximum number of vertices that a geometry stage emits, and the maximum tessellation level. */
const EMITTED = 4;
const LEVEL = 3;
/** Bytes per streamed vertex. */
export const SINK_BYTES = 20;

/** The stages of slot `i`, which take packets P and return packets Q. */
export function slotCode({ kind, k }: Slot, i: number): string {
  const number = `@builtin(primitive_index) i: u32`;
  if (kind === 'vertex')
    return `
    @vertex fn s${i}(p: P) -> Q {
      let x = p.x + vec4f(${((k % 7) - 3) / 20}, ${((k % 5) - 2) / 20}, ${(k % 3) / 20}, 0) * p.x.w;
      return Q(x, x, p.id * ${(k % 4) + 1}u + 1u, fract(p.a.yzwx + ${k / 100}));
    }`;
  if (kind === 'primitive')
    return k % 2 === 0
      ? `
        @primitive fn s${i}(v: array<P, 3>, ${number}) -> @builtin(cull_primitive) bool {
          return (v[0].id + i) % 5u == ${k % 5}u;
        }
      `
      : `@primitive fn s${i}(v: array<P, 3>, ${number}) -> @builtin(viewport_index) u32 { return (v[2].id + i) % 3u; }`;
  if (kind === 'geometry')
    return `
    @geometry fn s${i}(v: array<P, 3>, ${number}) {
      let count = ${k % 2 === 0 ? '3u + (v[0].id + i) % 2u' : `${EMITTED}u - (i & 1u)`};
      for (var k = 0u; k < count; k++) {
        let p = v[k % 3u];
        let x = p.x + vec4f(${(k % 10) / 50} * f32(k / 3u), 0.1 * f32(k), 0, 0) * p.x.w;
        emitVertex(Q(x, x, p.id + k, fract(p.a + v[(k + 1u) % 3u].a)));
        if ((p.id + k) % 11u == 0u) { endStrip(); }
      }
    }`;
  return `
    struct Cut${i} { @builtin(tess_outer) outer: vec4f, @builtin(tess_inner) inner: vec2f, @location(0) lift: f32 }
    @tess_control fn c${i}(p: array<P, 3>, ${number}) -> Cut${i} {
      let level = f32((p[0].id + i) % 4u);
      return Cut${i}(vec4f(level, 1, 2.5, 1), vec2f(level + 0.5), 0.125 * f32(i % 3u));
    }
    @tess_evaluation fn s${i}(p: array<P, 3>, @builtin(tess_coord) uv: vec3f, @location(0) lift: f32) -> Q {
      let x = p[0].x * uv.x + p[1].x * uv.y + p[2].x * uv.z + vec4f(0, lift * uv.x, 0, 0);
      return Q(x, x, p[0].id, p[0].a * uv.x + p[1].a * uv.y + p[2].a * uv.z);
    }`;
}

/** The pipeline's stages; tessellation has two. `places`: the last stage of each slot, from the first slot on. */
export function stagesOf(
  slots: readonly Slot[],
  module: GPUShaderModule
): { readonly stages: ModularStage[]; readonly places: number[]; readonly edges: [number, number][] } {
  const stages: ModularStage[] = [{ kind: 'vertex', module, entryPoint: 's0' }];
  const places = [0];
  const edges: [number, number][] = [];
  slots.forEach(({ kind, enabled, from, k }, at) => {
    const entryPoint = `s${at + 1}`;
    const common = { module, enabled };
    edges.push([places[Math.min(from, at)]!, stages.length]);
    if (kind === 'tessellation') {
      edges.push([stages.length, stages.length + 1]);
      stages.push(
        { ...common, kind: 'tess_control', entryPoint: `c${at + 1}` },
        {
          ...common,
          kind: 'tess_evaluation',
          entryPoint,
          maxLevel: LEVEL,
          spacing: (['equal', 'fractional-odd', 'fractional-even'] as const)[k % 3],
        }
      );
    } else
      stages.push({
        ...common,
        kind,
        entryPoint,
        ...(kind === 'geometry' && { maxVertices: EMITTED, topology: 'triangle-strip' }),
      });
    places.push(stages.length - 1);
  });
  return { stages, places, edges };
}

/** Minimum size of a draw call's sink buffer. */
export function sinkBytes({ slots, sinkFrom }: VertexLook, triangles: number, instances: number): number {
  if (!slots || sinkFrom === null) return 0;
  let most = triangles * instances;
  for (let at = sinkFrom; at > 0; at = Math.min(slots[at - 1]!.from, at - 1)) {
    const { kind } = slots[at - 1]!;
    most *= kind === 'geometry' ? EMITTED - 2 : kind === 'tessellation' ? 2 * LEVEL ** 2 : 1;
  }
  return most * 3 * SINK_BYTES;
}
