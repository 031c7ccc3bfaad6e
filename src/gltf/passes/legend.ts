// Ids of objects and materials: their colours and their names.
import type { Model } from '../files/load';
import type { FlatScene } from '../scene/scene';
import type { LegendEntry } from './kinds';

/**
 * Colour of an id, below 2²⁴: the map of PASCAL VOC, which spreads the lowest bits of the id over the highest bits of
 * red, green and blue. Each id has another colour; 0 is black.
 */
export function idColour(id: number): number {
  let color = 0;
  for (let bit = 0; bit < 24; bit++) if ((id >> bit) & 1) color |= 1 << (8 * (2 - (bit % 3)) + 7 - Math.floor(bit / 3));
  return color;
}

/** Lists what a scene draws, by id. */
export function legendOf(
  { document }: Model,
  scene: FlatScene,
  pass: 'object' | 'material',
  pixels: Uint32Array
): LegendEntry[] {
  const root = document.getRoot();
  const counts = new Map<number, number>();
  for (const id of pixels) counts.set(id, (counts.get(id) ?? 0) + 1);
  const nameOf = (id: number): string => {
    const item = pass === 'object' ? root.listNodes()[id - 1] : root.listMaterials()[id - 1];
    if (!item) return 'default material';
    const mesh = 'getMesh' in item ? item.getMesh()?.getName() : undefined;
    return item.getName() || mesh || `${pass === 'object' ? 'node' : 'material'} ${id - 1}`;
  };
  const ids = [...new Set(scene.draws.map((draw) => draw.ids[pass]))].sort((a, b) => a - b);
  return ids.map((id) => ({
    id,
    color: `#${idColour(id).toString(16).padStart(6, '0')}`,
    name: nameOf(id),
    pixels: counts.get(id) ?? 0,
  }));
}
