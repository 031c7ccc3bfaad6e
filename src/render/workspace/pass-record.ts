// Writes the PASS record, which describes the attachments of a pass, to device memory.
import { FORMAT_STENCIL8 } from '../../../assembly/layout/texture/formats';
import { TILE_SIZE } from '../../../assembly/layout/limits';
import { Attachment, Pass } from '../../../build/layout';
import { hasDepth, hasStencil, type Plane } from '../../surface';
import type { CommandMemory } from '../memory/command-memory';
import { cachedTiles, maxPixelBytes } from '../resources/surface-record';
import type { PassState } from '../types';
import type { View } from '../resources/views';

/**
 * `address`: the record. Each worker has a copy with additional fields. `pixelBytes`: maximum bytes per
 * pixel of the surfaces that shaders access; 0 if there are none. `cachedTiles`: tiles of them that a worker
 * caches.
 */
export interface PassRecord {
  readonly address: number;
  readonly tiles: number;
  readonly pixelBytes: number;
  readonly cachedTiles: number;
}

/**
 * `surfaces`: the surfaces that shaders access. `encodes`: whether the device's surfaces are encoded. `rates`: whether
 * draw calls may have shading rates. `blends`: whether some blend or write only some channels.
 */
export function writePass(
  state: PassState,
  surfaces: ReadonlySet<View>,
  { encodes, rates, blends }: { readonly encodes: boolean; readonly rates: boolean; readonly blends: boolean },
  memory: WebAssembly.Memory,
  commands: CommandMemory
): PassRecord {
  const tilesX = Math.ceil(state.width / TILE_SIZE);
  const tiles = tilesX * Math.ceil(state.height / TILE_SIZE);
  const address = commands.take(Pass.bytes);
  const tileStates = commands.take(tiles);
  new Uint8Array(memory.buffer, tileStates, tiles).fill(0);
  new Uint8Array(memory.buffer, address, Pass.bytes).fill(0);
  const view = new DataView(memory.buffer, address, Pass.bytes);
  const put = (field: number, value: number): void => view.setInt32(field, value, true);
  put(Pass.width, state.width);
  put(Pass.height, state.height);
  put(Pass.tilesX, tilesX);
  put(Pass.samples, state.samples);
  put(Pass.colorCount, state.colors.length);
  put(Pass.tileStates, tileStates);
  put(Pass.encodes, encodes ? 1 : 0);
  put(Pass.hasRates, rates ? 1 : 0);
  put(Pass.blends, blends ? 1 : 0);
  state.colors.forEach((color, i) => {
    if (color) putColor(view, Pass.colors + i * Attachment.bytes, color);
  });
  putDepthStencil(view, state);
  if (state.counts) {
    const counts = state.counts as View;
    put(Pass.counts, counts.attachmentAddress(counts.plane, 0));
    put(Pass.countsRowBytes, counts.level.rowBytes);
  }
  return { address, tiles, pixelBytes: maxPixelBytes(surfaces), cachedTiles: cachedTiles(surfaces) };
}

function putSurface(view: DataView, at: number, format: number, target: View, plane: Plane, slice: number): void {
  view.setInt32(at + Attachment.format, format, true);
  if (plane.surface) view.setInt32(at + Attachment.surface, plane.surface.address, true);
  else view.setInt32(at + Attachment.address, target.attachmentAddress(plane, slice), true);
  view.setInt32(at + Attachment.rowBytes, plane.levels[target.shape.baseMipLevel]!.rowBytes, true);
}

function putColor(view: DataView, at: number, color: NonNullable<PassState['colors'][number]>): void {
  const target = color.view as View;
  putSurface(view, at, target.shape.format.id, target, target.plane, color.depthSlice);
  view.setInt32(at + Attachment.clear, color.clear ? 1 : 0, true);
  view.setInt32(at + Attachment.store, color.store ? 1 : 0, true);
  const type = target.shape.format.sampleType;
  color.clear?.forEach((value, i) => {
    const field = at + Attachment.clearValue + i * 4;
    if (type === 'uint') view.setUint32(field, value, true);
    else if (type === 'sint') view.setInt32(field, value, true);
    else view.setFloat32(field, value, true);
  });
  if (!color.resolve) return;
  const resolve = color.resolve as View;
  view.setInt32(at + Attachment.resolveAddress, resolve.attachmentAddress(resolve.plane, 0), true);
  view.setInt32(at + Attachment.resolveRowBytes, resolve.level.rowBytes, true);
}

function putDepthStencil(view: DataView, state: PassState): void {
  const attachment = state.depthStencil;
  if (!attachment) return;
  const target = attachment.view as View;
  const format = target.shape.format;
  if (hasDepth(format)) {
    const at = Pass.depth;
    putSurface(view, at, format.id, target, target.texture.memory.plane('depth-only'), 0);
    view.setInt32(at + Attachment.clear, attachment.depthClear !== null ? 1 : 0, true);
    view.setInt32(at + Attachment.store, attachment.depthStore ? 1 : 0, true);
    view.setInt32(at + Attachment.readOnly, attachment.depthReadOnly ? 1 : 0, true);
    view.setFloat32(at + Attachment.clearValue, attachment.depthClear ?? 0, true);
  }
  if (hasStencil(format)) {
    const at = Pass.stencil;
    putSurface(view, at, FORMAT_STENCIL8, target, target.texture.memory.plane('stencil-only'), 0);
    view.setInt32(at + Attachment.clear, attachment.stencilClear !== null ? 1 : 0, true);
    view.setInt32(at + Attachment.store, attachment.stencilStore ? 1 : 0, true);
    view.setInt32(at + Attachment.readOnly, attachment.stencilReadOnly ? 1 : 0, true);
    view.setUint32(at + Attachment.clearValue, attachment.stencilClear ?? 0, true);
  }
}
