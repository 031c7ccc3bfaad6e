// PASS record: attachments of a pass, in device memory.
import * as P from '../../assembly/layout/pass';
import { FORMAT_STENCIL8 } from '../../assembly/layout/formats';
import { TILE_SIZE } from '../../assembly/layout/limits';
import { hasDepth, hasStencil, type Plane } from '../surface';
import type { CommandMemory } from './command-memory';
import { mostPixelBytes } from './surface-record';
import type { PassState } from './types';
import type { View } from './views';

/** `address`: the record, without what each worker's copy of it has of its own. `pixelBytes`: most of a pixel of the surfaces that programs access; 0 for none. */
export interface PassRecord { readonly address: number; readonly tiles: number; readonly pixelBytes: number }

/** `surfaces`: that programs access; `encodes`: as the device's surfaces are. */
export function writePass(state: PassState, surfaces: Iterable<View>, encodes: boolean, memory: WebAssembly.Memory, commands: CommandMemory): PassRecord {
  const tilesX = Math.ceil(state.width / TILE_SIZE);
  const tiles = tilesX * Math.ceil(state.height / TILE_SIZE);
  const address = commands.take(P.PASS_BYTES);
  const tileStates = commands.take(tiles);
  new Uint8Array(memory.buffer, tileStates, tiles).fill(0);
  new Uint8Array(memory.buffer, address, P.PASS_BYTES).fill(0);
  const view = new DataView(memory.buffer, address, P.PASS_BYTES);
  const put = (field: number, value: number): void => view.setInt32(field, value, true);
  put(P.PASS_WIDTH, state.width);
  put(P.PASS_HEIGHT, state.height);
  put(P.PASS_TILES_X, tilesX);
  put(P.PASS_SAMPLES, state.samples);
  put(P.PASS_COLOR_COUNT, state.colors.length);
  put(P.PASS_TILE_STATES, tileStates);
  put(P.PASS_ENCODES, encodes ? 1 : 0);
  state.colors.forEach((color, i) => { if (color) putColor(view, P.PASS_COLOR0 + i * P.ATTACHMENT_BYTES, color); });
  putDepthStencil(view, state);
  if (state.counts) {
    const counts = state.counts as View;
    put(P.PASS_COUNTS, counts.attachmentAddress(counts.plane, 0));
    put(P.PASS_COUNTS_ROW_BYTES, counts.level.rowBytes);
  }
  return { address, tiles, pixelBytes: mostPixelBytes(surfaces) };
}

function putSurface(view: DataView, at: number, format: number, target: View, plane: Plane, slice: number): void {
  view.setInt32(at + P.ATTACHMENT_FORMAT, format, true);
  if (plane.surface) view.setInt32(at + P.ATTACHMENT_SURFACE, plane.surface.address, true);
  else view.setInt32(at + P.ATTACHMENT_ADDRESS, target.attachmentAddress(plane, slice), true);
  view.setInt32(at + P.ATTACHMENT_ROW_BYTES, plane.levels[target.shape.baseMipLevel]!.rowBytes, true);
}

function putColor(view: DataView, at: number, color: NonNullable<PassState['colors'][number]>): void {
  const target = color.view as View;
  putSurface(view, at, target.shape.format.id, target, target.plane, color.depthSlice);
  view.setInt32(at + P.ATTACHMENT_CLEAR, color.clear ? 1 : 0, true);
  view.setInt32(at + P.ATTACHMENT_STORE, color.store ? 1 : 0, true);
  const type = target.shape.format.sampleType;
  color.clear?.forEach((value, i) => {
    const field = at + P.ATTACHMENT_CLEAR_VALUE + i * 4;
    if (type === 'uint') view.setUint32(field, value, true);
    else if (type === 'sint') view.setInt32(field, value, true);
    else view.setFloat32(field, value, true);
  });
  if (!color.resolve) return;
  const resolve = color.resolve as View;
  view.setInt32(at + P.ATTACHMENT_RESOLVE_ADDRESS, resolve.attachmentAddress(resolve.plane, 0), true);
  view.setInt32(at + P.ATTACHMENT_RESOLVE_ROW_BYTES, resolve.level.rowBytes, true);
}

function putDepthStencil(view: DataView, state: PassState): void {
  const attachment = state.depthStencil;
  if (!attachment) return;
  const target = attachment.view as View;
  const format = target.shape.format;
  if (hasDepth(format)) {
    const at = P.PASS_DEPTH;
    putSurface(view, at, format.id, target, target.texture.memory.plane('depth-only'), 0);
    view.setInt32(at + P.ATTACHMENT_CLEAR, attachment.depthClear !== null ? 1 : 0, true);
    view.setInt32(at + P.ATTACHMENT_STORE, attachment.depthStore ? 1 : 0, true);
    view.setInt32(at + P.ATTACHMENT_READ_ONLY, attachment.depthReadOnly ? 1 : 0, true);
    view.setFloat32(at + P.ATTACHMENT_CLEAR_VALUE, attachment.depthClear ?? 0, true);
  }
  if (hasStencil(format)) {
    const at = P.PASS_STENCIL;
    putSurface(view, at, FORMAT_STENCIL8, target, target.texture.memory.plane('stencil-only'), 0);
    view.setInt32(at + P.ATTACHMENT_CLEAR, attachment.stencilClear !== null ? 1 : 0, true);
    view.setInt32(at + P.ATTACHMENT_STORE, attachment.stencilStore ? 1 : 0, true);
    view.setInt32(at + P.ATTACHMENT_READ_ONLY, attachment.stencilReadOnly ? 1 : 0, true);
    view.setUint32(at + P.ATTACHMENT_CLEAR_VALUE, attachment.stencilClear ?? 0, true);
  }
}
