// Scenes whose materials are simplified to what a pass needs.
import type { MaterialData, TextureSlot } from '../materials/material';
import type { Geometry } from '../scene/geometry';
import type { Draw, FlatScene } from '../scene/scene';

/** What a scene is uploaded for: its light, its base colours, its surfaces, or their motion. */
export type Subject = 'light' | 'albedo' | 'surface' | 'motion';

/** Opacity from which a blended surface counts as a surface. */
const OPAQUE_FROM = 0.5;

/** The scene as a pass draws it. @param next the scene in the next frame, for motion */
export function sceneFor(scene: FlatScene, subject: Subject, next = scene): FlatScene {
  if (subject === 'light') return scene;
  const materials = new Map<MaterialData, MaterialData>();
  const simplified = (material: MaterialData): MaterialData => {
    let simple = materials.get(material);
    if (!simple) materials.set(material, (simple = simplify(material, subject)));
    return simple;
  };
  let draws = scene.draws.map((draw) => ({ ...draw, material: simplified(draw.material) }));
  if (subject === 'motion') draws = withNext(draws, next.draws);
  return { ...scene, draws, lights: [] };
}

function simplify(material: MaterialData, subject: Exclude<Subject, 'light'>): MaterialData {
  if (subject === 'albedo') return { ...material, unlit: true, layers: {}, textures: only(material, ['base']) };
  const isOpaque = material.alphaMode === 'OPAQUE';
  const slots: TextureSlot[] = [
    ...(isOpaque ? [] : ['base' as const]),
    ...(subject === 'surface' ? ['normal' as const] : []),
  ];
  return {
    ...material,
    alphaMode: isOpaque ? 'OPAQUE' : 'MASK',
    alphaCutoff: material.alphaMode === 'BLEND' ? OPAQUE_FROM : material.alphaCutoff,
    unlit: subject === 'motion',
    layers: {},
    textures: only(material, slots),
  };
}

const only = ({ textures }: MaterialData, slots: readonly TextureSlot[]): MaterialData['textures'] =>
  Object.fromEntries(slots.flatMap((slot) => (textures[slot] ? [[slot, textures[slot]]] : [])));

/** Gives draws their place in the next frame. A draw that is not in it stays where it is. */
function withNext(draws: readonly Draw[], next: readonly Draw[]): Draw[] {
  const later = new Map(keysOf(next).map((key, i) => [key, next[i]]));
  const keys = keysOf(draws);
  const geometries = new Map<Geometry, Map<Geometry, Geometry>>();
  return draws.map((draw, i) => {
    const { geometry } = draw;
    const found = later.get(keys[i]);
    const other = found?.geometry.vertexCount === geometry.vertexCount ? found : draw;
    let known = geometries.get(geometry);
    if (!known) geometries.set(geometry, (known = new Map()));
    let moving = known.get(other.geometry);
    if (!moving) known.set(other.geometry, (moving = { ...geometry, next: other.geometry.positions }));
    return { ...draw, geometry: moving, nextMatrix: other.matrix };
  });
}

/** A key for each draw: its node, and its number among the draws of the node. */
function keysOf(draws: readonly Draw[]): string[] {
  const counts = new Map<number, number>();
  return draws.map(({ ids: { object } }) => {
    const count = counts.get(object) ?? 0;
    counts.set(object, count + 1);
    return `${object} ${count}`;
  });
}
