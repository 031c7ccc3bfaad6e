// Finds defects of a file that it is drawn with, as sentences: what the specification forbids, and what a picture may
// show as a wrong shape, pose or light. Only differences that can be seen are reported, so bounds have a tolerance.
import type { Accessor, Document, GLTF } from '@gltf-transform/core';
import { plain } from '../../base/printable';
import { componentBytes, typeComponents } from './accessor-types';
import { isCount, type Loose } from './checks';

/** Greatest number of defects that are named. */
const NAMED = 5;

/** The first defects, and how many others there are. */
export function firstOf(found: readonly string[]): string[] {
  if (found.length <= NAMED) return [...found];
  const others = found.length - NAMED;
  return [...found.slice(0, NAMED), `The file has ${others} more ${others === 1 ? 'defect' : 'defects'}.`];
}

/** Defects of the JSON of a file that has been validated, before compressed data is decoded. */
export function structureDefects(json: GLTF.IGLTF): string[] {
  return [
    ...strayValues(json),
    ...alignments(json),
    ...unequalCounts(json),
    ...bounds(json),
    ...nodes(json),
    ...cameras(json),
    ...lights(json),
    ...textureSets(json),
    ...samplers(json),
  ];
}

/** Values that are null, and names that are no text. */
function strayValues(json: GLTF.IGLTF): string[] {
  const found: string[] = [];
  // Not by recursion: a file may nest its values deeply.
  const stack: [value: object, path: string][] = [[json, '']];
  for (let entry = stack.pop(); entry; entry = stack.pop()) {
    const [value, path] = entry;
    for (const [key, inner] of Object.entries(value) as [string, unknown][]) {
      if (key === 'extras' || key === 'extensions') continue;
      if (inner === null) found.push(`${plain(`${path}/${key}`, 200)} is null and is ignored.`);
      else if (typeof inner === 'object') stack.push([inner, `${path}/${key}`]);
      if (key === 'name' && typeof inner !== 'string' && inner !== null)
        found.push(`${plain(`${path}/${key}`, 200)} is not text and is ignored.`);
    }
  }
  return found;
}

function alignments({ accessors = [], bufferViews = [] }: GLTF.IGLTF): string[] {
  return accessors.flatMap(({ bufferView, byteOffset = 0, componentType }, i) => {
    if (bufferView === undefined) return [];
    const bytes = componentBytes(componentType);
    const start = (bufferViews[bufferView]?.byteOffset ?? 0) + byteOffset;
    return bytes > 0 && start % bytes !== 0
      ? [`Accessor ${i} begins at byte ${start} instead of a multiple of ${bytes}; its numbers may be wrong.`]
      : [];
  });
}

function unequalCounts({ meshes = [], accessors = [] }: GLTF.IGLTF): string[] {
  return meshes.flatMap(({ primitives }, i) =>
    primitives.flatMap(({ attributes }, k) => {
      const counts = new Set(Object.values(attributes ?? {}).map((index) => accessors[index]?.count));
      return counts.size > 1
        ? [`The attributes of primitive ${k} of mesh ${i} have different counts: ${[...counts].join(', ')}.`]
        : [];
    })
  );
}

function bounds({ accessors = [] }: GLTF.IGLTF): string[] {
  return accessors.flatMap((accessor, i) =>
    (['min', 'max'] as const).flatMap((name) => {
      const value: unknown = accessor[name];
      const size = typeComponents(accessor.type);
      return value === undefined || isVector(value, size)
        ? []
        : [`The ${name} of accessor ${i} should be ${size} ${size === 1 ? 'number' : 'numbers'} and is ignored.`];
    })
  );
}

const isVector = (value: unknown, size: number): value is number[] =>
  Array.isArray(value) && value.length === size && value.every((x) => typeof x === 'number');

/** Greatest difference of a squared length from 1, and of the cosine of a right angle from 0. */
const TOLERANCE = 0.02;

const isUnit = (numbers: readonly number[]): boolean =>
  Math.abs(numbers.reduce((sum, x) => sum + x * x, 0) - 1) <= TOLERANCE;

function nodes({ nodes: all = [] }: GLTF.IGLTF): string[] {
  return all.flatMap(({ rotation, matrix }, i) => [
    ...(rotation && !isUnit(rotation)
      ? [`The rotation of node ${i} is not a unit quaternion; it may look wrong.`]
      : []),
    ...(matrix && !isDecomposable(matrix)
      ? [`The matrix of node ${i} is no translation, rotation and scale; other viewers may draw it in another way.`]
      : []),
  ]);
}

function isDecomposable(m: readonly number[]): boolean {
  if (m[3] !== 0 || m[7] !== 0 || m[11] !== 0 || m[15] !== 1) return false;
  const dot = (a: number, b: number): number => m[a] * m[b] + m[a + 1] * m[b + 1] + m[a + 2] * m[b + 2];
  const isRight = (a: number, b: number): boolean =>
    Math.abs(dot(a, b)) <= TOLERANCE * Math.sqrt(dot(a, a) * dot(b, b));
  return isRight(0, 4) && isRight(4, 8) && isRight(0, 8);
}

function cameras({ cameras: all = [] }: GLTF.IGLTF): string[] {
  return all.flatMap(({ perspective, orthographic }, i) => {
    const { znear = 0, zfar = Infinity } = perspective ?? orthographic ?? {};
    const isWrong = zfar <= znear || znear < 0 || (perspective?.yfov ?? 1) <= 0;
    return isWrong ? [`Camera ${i} has a field of view or distances that enclose nothing.`] : [];
  });
}

function lights(json: GLTF.IGLTF): string[] {
  const extension = json.extensions?.KHR_lights_punctual as { lights?: Loose[] } | undefined;
  return (extension?.lights ?? []).flatMap(({ color, intensity }, i) => {
    const isWrong = (color as number[] | undefined)?.some((x) => x < 0 || x > 1) || (intensity as number) < 0;
    return isWrong ? [`The colour or intensity of light ${i} is out of range; it may look wrong.`] : [];
  });
}

function textureSets({ materials = [] }: GLTF.IGLTF): string[] {
  return materials.flatMap((material, i) => {
    const uses = [material, material.pbrMetallicRoughness ?? {}].flatMap((holder) =>
      Object.entries(holder).filter(([name]) => name.endsWith('Texture'))
    );
    return uses.flatMap(([name, info]) => {
      const set = (info as { texCoord?: number }).texCoord;
      return set === undefined || isCount(set) ? [] : [`The texCoord of the ${name} of material ${i} is ${set}.`];
    });
  });
}

const OUTPUT_TYPES: ReadonlyMap<string, string> = new Map([
  ['translation', 'VEC3'],
  ['rotation', 'VEC4'],
  ['scale', 'VEC3'],
  ['weights', 'SCALAR'],
]);

function samplers({ animations = [], accessors = [] }: GLTF.IGLTF): string[] {
  return animations.flatMap(({ channels, samplers: all }, i) =>
    channels.flatMap(({ sampler, target }, k) => {
      const type = OUTPUT_TYPES.get(target.path);
      if (type === undefined || all[sampler] === undefined) return [];
      const { input, output, interpolation } = all[sampler];
      const [times, values] = [accessors[input], accessors[output]];
      const count = times.count * (interpolation === 'CUBICSPLINE' ? 3 : 1);
      const isWhole = target.path === 'weights' ? values.count % count === 0 : values.count === count;
      const isFitting = times.type === 'SCALAR' && values.type === type && isWhole;
      return isFitting ? [] : [`Channel ${k} of animation ${i} has other times or values than its target needs.`];
    })
  );
}

/** Defects of the numbers of a file. */
export function numberDefects({ json, document }: { json: GLTF.IGLTF; document: Document }): string[] {
  const accessors = document.getRoot().listAccessors();
  return [...wrongBounds(json, accessors), ...wrongDirections(json, accessors), ...wrongRotations(json, accessors)];
}

/** Share of the size of an accessor by which its bounds may differ; Draco with 8 bits needs half of that. */
const BOUNDS_TOLERANCE = 0.004;

function wrongBounds(json: GLTF.IGLTF, accessors: readonly Accessor[]): string[] {
  return (json.accessors ?? []).flatMap(({ min, max, type }, i) => {
    const accessor = accessors[i];
    const size = typeComponents(type);
    const array = accessor?.getArray();
    if (!array || !isVector(min, size) || !isVector(max, size)) return [];
    for (let c = 0; c < size; c++) {
      const tolerance = (max[c] - min[c]) * BOUNDS_TOLERANCE + Math.abs(max[c]) * 1e-6;
      const isNear = (x: number, bound: number): boolean => Math.abs(x - bound) <= tolerance;
      let [least, most] = [Infinity, -Infinity];
      for (let at = c; at < array.length; at += size) {
        least = Math.min(least, array[at]);
        most = Math.max(most, array[at]);
      }
      if (!isNear(least, min[c]) || !isNear(most, max[c]))
        return [`The numbers of accessor ${i} have other bounds than it says; its shape or motion may be wrong.`];
    }
    return [];
  });
}

/** Normals and tangents that are not of unit length. */
function wrongDirections({ meshes = [] }: GLTF.IGLTF, accessors: readonly Accessor[]): string[] {
  const known = new Map<number, number>();
  return meshes.flatMap(({ primitives }, i) =>
    primitives.flatMap(({ attributes }, k) =>
      (['NORMAL', 'TANGENT'] as const).flatMap((name) => {
        const index = attributes?.[name];
        const accessor = index === undefined ? undefined : accessors[index];
        if (index === undefined || !accessor || known.has(index)) return [];
        const wrong = countOfWrong(accessor);
        known.set(index, wrong);
        if (wrong === 0) return [];
        const what = name === 'NORMAL' ? 'normals' : 'tangents';
        const of = `${wrong} of ${accessor.getCount()} ${what} of primitive ${k} of mesh ${i}`;
        return [`${of} are not of unit length; the light on them may look wrong.`];
      })
    )
  );
}

/** Largest numbers of normalized integers. */
const SCALES: Readonly<Record<number, number>> = { 5120: 127, 5121: 255, 5122: 32767, 5123: 65535 };

function countOfWrong(accessor: Accessor): number {
  const array = accessor.getArray();
  const size = accessor.getElementSize();
  if (!array || size < 3) return 0;
  const scale = accessor.getNormalized() ? SCALES[accessor.getComponentType()] : 1;
  // Bytes round each number by up to 1/254.
  const tolerance = scale === 127 || scale === 255 ? 2 * TOLERANCE : TOLERANCE;
  let wrong = 0;
  for (let i = 0; i < array.length; i += size) {
    const [x, y, z] = [array[i] / scale, array[i + 1] / scale, array[i + 2] / scale];
    if (!(Math.abs(x * x + y * y + z * z - 1) <= tolerance)) wrong++;
  }
  return wrong;
}

function wrongRotations({ animations = [] }: GLTF.IGLTF, accessors: readonly Accessor[]): string[] {
  return animations.flatMap(({ channels, samplers: all }, i) =>
    channels.flatMap(({ sampler, target }, k) => {
      const { output, interpolation } = all[sampler];
      if (target.path !== 'rotation') return [];
      const accessor = accessors[output];
      const scale = accessor?.getNormalized() ? SCALES[accessor.getComponentType()] : 1;
      const array = accessor?.getArray();
      if (!array || accessor.getElementSize() !== 4) return [];
      // Of a cubic spline, the second of three elements is a rotation.
      const [first, step] = interpolation === 'CUBICSPLINE' ? [4, 12] : [0, 4];
      for (let at = first; at + 3 < array.length; at += step)
        if (!isUnit([0, 1, 2, 3].map((c) => array[at + c] / scale)))
          return [`Channel ${k} of animation ${i} has rotations that are no unit quaternions; it may look wrong.`];
      return [];
    })
  );
}
