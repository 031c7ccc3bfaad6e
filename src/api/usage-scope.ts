// One render pass is one usage scope: what it writes, nothing else in it may use.
// https://www.w3.org/TR/webgpu/#programming-model-resource-usages

import { hasDepth, hasStencil } from '../surface/formats';
import type { HeldView } from './attachments';
import type { BindGroupCore, BoundSurface } from './bind-group';
import type { BufferCore } from './buffer';
import type { TextureCore, ViewCore } from './texture';

export class UsageScope {
  readonly #held: readonly HeldView[];
  readonly #groups = new Set<BindGroupCore>();
  /** Of bundles. */
  readonly #scopes = new Set<UsageScope>();
  readonly #sampled = new Map<TextureCore, string>();
  readonly #surfaces = new Map<TextureCore, { readonly writes: boolean; readonly what: string }>();
  readonly #buffers = new Map<BufferCore, 'read' | 'write'>();

  constructor(held: readonly HeldView[]) {
    this.#held = held;
  }

  /** A sentence when the group's resources cannot be used in this pass. */
  addGroup(group: BindGroupCore): string | null {
    if (this.#groups.has(group)) return null;
    this.#groups.add(group);
    for (const { buffer, entry } of group.buffers) {
      const write = entry.resource.kind === 'buffer' && entry.resource.type === 'storage';
      const conflict = this.addBuffer(buffer, write ? 'write' : 'read');
      if (conflict !== null) return conflict;
    }
    for (const view of group.views) {
      const attachment = this.#held.find((held) => conflicts(held, view));
      const surface = this.#surfaces.get(view.texture);
      if (surface?.writes)
        return `${view.called} in ${group.called} is sampled in a pass that may store to it: ${surface.what}; sample it in another pass`;
      this.#sampled.set(view.texture, `${view.called} in ${group.called}`);
      if (attachment !== undefined)
        return `${view.called} in ${group.called} is sampled while the pass renders to it as ${attachment.what}; sample a copy, or end the pass first`;
    }
    for (const surface of group.surfaces) {
      const conflict = this.#addSurface(surface, group);
      if (conflict !== null) return conflict;
    }
    return null;
  }

  #addSurface({ view, writes }: BoundSurface, group: BindGroupCore): string | null {
    const what = `${view.called} in ${group.called}`;
    // Multisampled textures are one subresource.
    const attachment = this.#held.find((held) => held.view.texture === view.texture);
    if (attachment !== undefined)
      return `${what} is a storage texture in a pass that renders to it as ${attachment.what}; use a pass without that attachment`;
    const sampled = this.#sampled.get(view.texture);
    if (writes && sampled !== undefined)
      return `${what} is a storage texture that the pass may store to, and it is sampled there: ${sampled}; sample it in another pass`;
    const before = this.#surfaces.get(view.texture);
    if (before !== undefined && before.writes !== writes)
      return `${what} and ${before.what} are one storage texture, once read-only and once not; use one access in a pass`;
    this.#surfaces.set(view.texture, { writes, what });
    return null;
  }

  /** Adds what a bundle uses. */
  addScope(other: UsageScope): string | null {
    if (this.#scopes.has(other)) return null;
    this.#scopes.add(other);
    for (const group of other.#groups) {
      const conflict = this.addGroup(group);
      if (conflict !== null) return conflict;
    }
    for (const [buffer, use] of other.#buffers) {
      const conflict = this.addBuffer(buffer, use);
      if (conflict !== null) return conflict;
    }
    return null;
  }

  addBuffer(buffer: BufferCore, use: 'read' | 'write'): string | null {
    const before = this.#buffers.get(buffer);
    if (before === undefined) this.#buffers.set(buffer, use);
    else if (before !== use) return `${buffer.called} is both written as storage and read in this pass`;
    return null;
  }
}

function conflicts(held: HeldView, view: ViewCore): boolean {
  const a = held.view.shape, b = view.shape;
  if (held.view.texture !== view.texture) return false;
  if (a.baseMipLevel >= b.baseMipLevel + b.mipLevelCount || b.baseMipLevel >= a.baseMipLevel + a.mipLevelCount)
    return false;
  const volume = view.texture.descriptor.dimension === '3d';
  if (!volume
    && (a.baseArrayLayer >= b.baseArrayLayer + b.arrayLayerCount
      || b.baseArrayLayer >= a.baseArrayLayer + a.arrayLayerCount))
    return false;
  const format = b.format;
  if (format.aspect === 'color') return true;
  return (hasDepth(format) && !held.depthReadOnly) || (hasStencil(format) && !held.stencilReadOnly);
}
