// Subresources whose contents a pass has discarded, which read as zero afterwards (WebGPU §17.1.2, GPUStoreOp
// "discard"). They are recorded, and zeroed only when something reads them, which is rare for attachments. Multisampled
// surfaces become zero at once, which costs nothing and releases their pages.
import type { BoundResource, PassState } from '../types';
import { hasDepth, hasStencil, type Plane, type Surface } from '../../surface';
import type { View, Texture } from './views';

const key = (plane: number, level: number, layer: number): string => `${plane} ${level} ${layer}`;

/** Zeroes the discarded subresources of a range, before the range is read or partly written. */
export function settle(
  memory: WebAssembly.Memory,
  texture: Texture,
  baseLevel: number,
  levels: number,
  baseLayer: number,
  layers: number
): void {
  if (texture.discarded.size === 0) return;
  texture.memory.planes.forEach((plane, p) => {
    for (let level = baseLevel; level < baseLevel + levels; level++) {
      for (let layer = baseLayer; layer < baseLayer + layers; layer++) {
        if (texture.discarded.delete(key(p, level, layer))) clear(memory, plane, level, layer);
      }
    }
  });
}

function clear(memory: WebAssembly.Memory, plane: Plane, level: number, layer: number): void {
  const { offset, layerBytes } = plane.levels[level]!;
  new Uint8Array(memory.buffer, plane.address + offset + layer * layerBytes, layerBytes).fill(0);
}

export function zeroDiscardedResource(memory: WebAssembly.Memory, resource: BoundResource): void {
  if (resource.kind === 'buffer' || resource.kind === 'sampler') return;
  const { texture, shape } = resource.view as View;
  // The slices of a 3D view count as layers here.
  const layers = shape.dimension === '3d' ? texture.shape.depthOrArrayLayers : shape.arrayLayerCount;
  settle(memory, texture, shape.baseMipLevel, shape.mipLevelCount, shape.baseArrayLayer, layers);
}

interface Target {
  readonly view: View;
  readonly plane: number;
  readonly layer: number;
  readonly load: boolean;
  readonly store: boolean;
}

function targets(state: PassState): Target[] {
  const result: Target[] = [];
  for (const color of state.colors) {
    if (!color) continue;
    const view = color.view as View;
    result.push({
      view,
      plane: 0,
      layer: view.shape.baseArrayLayer + color.depthSlice,
      load: !color.clear,
      store: color.store,
    });
    if (!color.resolve) continue;
    const resolve = color.resolve as View;
    result.push({ view: resolve, plane: 0, layer: resolve.shape.baseArrayLayer, load: false, store: true });
  }
  if (state.counts) {
    const view = state.counts as View;
    result.push({ view, plane: 0, layer: view.shape.baseArrayLayer, load: true, store: true });
  }
  const attachment = state.depthStencil;
  if (!attachment) return result;
  const view = attachment.view as View;
  const layer = view.shape.baseArrayLayer;
  if (hasDepth(view.shape.format))
    result.push({
      view,
      plane: 0,
      layer,
      load: attachment.depthClear === null,
      store: attachment.depthStore || attachment.depthReadOnly,
    });
  if (hasStencil(view.shape.format))
    result.push({
      view,
      plane: view.texture.memory.planes.length - 1,
      layer,
      load: attachment.stencilClear === null,
      store: attachment.stencilStore || attachment.stencilReadOnly,
    });
  return result;
}

/**
 * Attachments that a pass loads are zeroed if discarded. Attachments that it clears or resolves to are
 * fully overwritten.
 */
function zeroDiscardedAttachments(memory: WebAssembly.Memory, state: PassState): void {
  for (const { view, plane, layer, load } of targets(state)) {
    if (load) settle(memory, view.texture, view.shape.baseMipLevel, 1, layer, 1);
    else view.texture.discarded.delete(key(plane, view.shape.baseMipLevel, layer));
  }
}

/** Runs before a pass: zeroes what it reads or loads of discarded textures. */
export function zeroDiscardedInputs(
  memory: WebAssembly.Memory,
  state: PassState,
  resources: readonly BoundResource[]
): void {
  zeroDiscardedAttachments(memory, state);
  const region = state.rates?.region;
  if (region) zeroDiscardedResource(memory, { kind: 'texture', view: region.view });
  for (const resource of resources) zeroDiscardedResource(memory, resource);
}

/** Runs after a pass. Attachments that it did not store read as zero from now on. */
export function recordDiscards(state: PassState): void {
  for (const { view, plane, layer, store } of targets(state)) {
    if (store) continue;
    const { surface } = view.texture.memory.planes[plane]!;
    if (surface) surface.clear();
    else view.texture.discarded.add(key(plane, view.shape.baseMipLevel, layer));
  }
}

/** Multisampled surfaces that the pass may store to. */
export function surfacesOf(state: PassState): Surface[] {
  return targets(state).flatMap(({ view, plane }) => view.texture.memory.planes[plane]!.surface ?? []);
}
