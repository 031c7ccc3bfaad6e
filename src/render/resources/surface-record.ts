// Finds the multisampled storage textures that shaders access, and reports their invalid accesses.
import {
  FAULT_EMPTY_MASK,
  FAULT_FOREIGN_MASK,
  FAULT_OUTSIDE,
  SPARE_TILES,
} from '../../../assembly/layout/surface/load-store-codes';
import { LoadStoreUnit } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import { labelled } from '../../base/printable';
import type { IrResource } from '../../ir';
import type { BoundResource } from '../types';
import type { View } from './views';

/** The most surfaces that a shader can access (the largest maxStorageTexturesPerShaderStage). */
const MAX_SURFACES = 16;

/** The views of the multisampled storage textures among these resources. */
export function passSurfaces(resources: readonly BoundResource[]): ReadonlySet<View> {
  const views = new Set<View>();
  for (const resource of resources) if (resource.kind === 'surface') views.add(resource.view as View);
  return views;
}

/** Whether a shader may store to a resource that is a multisampled storage texture. */
export function storesSamples(resource: IrResource): resource is Extract<IrResource, { kind: 'surface' }> {
  return resource.kind === 'surface' && resource.access !== 'read';
}

/** Maximum bytes per pixel of these surfaces; 0 if there are none. Two samples count as four (tile.ts). */
export function maxPixelBytes(views: Iterable<View>): number {
  let most = 0;
  for (const { plane, texture } of views)
    most = Math.max(most, plane.texelBytes * Math.max(4, texture.shape.sampleCount));
  return most;
}

/** Number of tiles of these surfaces that a worker caches. */
export function cachedTiles({ size }: ReadonlySet<View>): number {
  return Math.min(size, MAX_SURFACES) + SPARE_TILES;
}

/** Invalid accesses in a pass, as recorded in an LSU record. */
interface Faults {
  readonly count: number;
  readonly kind: number;
  readonly surface: number;
  readonly x: number;
  readonly y: number;
  readonly mask: number;
}

function faultsOf(words: Int32Array, record: number): Faults {
  const of = (field: number): number => words[(record + field) / 4]!;
  return {
    count: of(LoadStoreUnit.faults) >>> 0,
    kind: of(LoadStoreUnit.fault),
    surface: of(LoadStoreUnit.faultSurface) >>> 0,
    x: of(LoadStoreUnit.faultX),
    y: of(LoadStoreUnit.faultY),
    mask: of(LoadStoreUnit.faultMask),
  };
}

/**
 * Sums the faults of all LSU records, with the details of the one at the topmost, leftmost pixel. Null if there are
 * none.
 */
function readFaults(memory: WebAssembly.Memory, records: readonly number[]): Faults | null {
  const words = new Int32Array(memory.buffer);
  const faults = records.map((record) => faultsOf(words, record)).filter(({ count }) => count > 0);
  const [first] = faults.sort((a, b) => a.y - b.y || a.x - b.x);
  return first === undefined ? null : { ...first, count: faults.reduce((sum, { count }) => sum + count, 0) };
}

/** Describes the faults of a pass for the author of the shader. */
function faultMessage({ count, kind, x, y, mask }: Faults, view: View, pass: string): string {
  const { level, texture } = view;
  const { label, sampleCount } = texture.shape;
  const bits = `0x${(mask >>> 0).toString(16)}`;
  const why = (): string => {
    switch (kind) {
      case FAULT_OUTSIDE:
        return `pixel (${x}, ${y}) is outside the ${level.width}×${level.height} texture`;
      case FAULT_EMPTY_MASK:
        return `at pixel (${x}, ${y}), the sample mask was 0`;
      case FAULT_FOREIGN_MASK:
        return (
          `at pixel (${x}, ${y}), the sample mask ${bits} has bits beyond `
          + `the ${sampleCount} samples of the texture`
        );
      default:
        return unreachable(`render: fault ${kind}`);
    }
  };
  const accesses =
    count === 1
      ? 'an access by a shader was ignored (a load returned zeros)'
      : `${count} accesses by shaders were ignored (loads returned zeros); the topmost one`;
  return `${labelled('render pass', pass)}: ${label}: ${accesses}: ${why()}`;
}

/** The number of faults of a pass, with a message about the first one; null if there were none. */
export function findFaults(
  memory: WebAssembly.Memory,
  records: readonly number[],
  surfaces: ReadonlySet<View>,
  pass: string
): { readonly count: number; readonly message: string } | null {
  const faults = readFaults(memory, records);
  if (faults === null) return null;
  const view =
    [...surfaces].find(({ surface }) => surface === faults.surface) ?? unreachable('render: a fault of no surface');
  return { count: faults.count, message: faultMessage(faults, view, pass) };
}
