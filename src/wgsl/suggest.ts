// "Did you mean …": finds the valid name that is most similar to an unknown one.

/** Longer names are not compared, because they were not typed by hand. */
const MAX_LENGTH = 100;

/**
 * Edit distance with transpositions of adjacent characters; any value above `limit` if the distance exceeds it. Only
 * cells within `limit` of the diagonal are computed, and the search stops when a whole row exceeds the limit.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  const far = limit + 1;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  let previousNearest = 0;
  for (let i = 1; i <= a.length; i++) {
    const row = new Array<number>(b.length + 1).fill(far);
    row[0] = i;
    let nearest = i;
    for (let j = Math.max(1, i - limit), last = Math.min(b.length, i + limit); j <= last; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(previous[j]! + 1, row[j - 1]! + 1, previous[j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, beforePrevious[j - 2]! + 1);
      row[j] = cost;
      nearest = Math.min(nearest, cost);
    }
    // A transposition looks back two rows.
    if (nearest > limit && previousNearest > limit) return far;
    previousNearest = nearest;
    beforePrevious = previous;
    previous = row;
  }
  return previous[b.length]!;
}

/** Equivalent names in other shading languages. */
const FOREIGN: ReadonlyMap<string, string> = new Map([
  ['float', 'f32'],
  ['int', 'i32'],
  ['uint', 'u32'],
  ['double', 'f32'],
  ['float2', 'vec2f'],
  ['float3', 'vec3f'],
  ['float4', 'vec4f'],
  ['int2', 'vec2i'],
  ['int3', 'vec3i'],
  ['int4', 'vec4i'],
  ['ivec2', 'vec2i'],
  ['ivec3', 'vec3i'],
  ['ivec4', 'vec4i'],
  ['uvec2', 'vec2u'],
  ['uvec3', 'vec3u'],
  ['uvec4', 'vec4u'],
  ['mat2', 'mat2x2f'],
  ['mat3', 'mat3x3f'],
  ['mat4', 'mat4x4f'],
  ['float3x3', 'mat3x3f'],
  ['float4x4', 'mat4x4f'],
  ['lerp', 'mix'],
  ['frac', 'fract'],
  ['rsqrt', 'inverseSqrt'],
  ['inversesqrt', 'inverseSqrt'],
  ['ddx', 'dpdx'],
  ['ddy', 'dpdy'],
  ['dFdx', 'dpdx'],
  ['dFdy', 'dpdy'],
  ['texture', 'textureSample'],
  ['texture2D', 'textureSample'],
  ['textureLod', 'textureSampleLevel'],
  ['texelFetch', 'textureLoad'],
  ['textureSize', 'textureDimensions'],
  ['floatBitsToUint', 'bitcast'],
  ['asuint', 'bitcast'],
  ['asfloat', 'bitcast'],
]);

/** The candidate most similar to `name`, if it is similar enough to be a typing error. */
export function nearest(name: string, candidates: Iterable<string>): string | null {
  const foreign = FOREIGN.get(name);
  const limit = name.length <= 3 ? 1 : name.length <= 5 ? 2 : 3;
  let best: string | null = null;
  let bestDistance = limit + 1;
  if (name.length > MAX_LENGTH) return null;
  for (const candidate of candidates) {
    if (candidate === foreign) return foreign;
    if (candidate === name || Math.abs(candidate.length - name.length) > limit) continue;
    const caseOnly = candidate.toLowerCase() === name.toLowerCase();
    const distance = caseOnly ? 0 : editDistance(name, candidate, limit);
    // A name with no character in common is a different word, not a typing error. This matters for one-letter names.
    if (distance < bestDistance && distance < Math.max(name.length, candidate.length)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
