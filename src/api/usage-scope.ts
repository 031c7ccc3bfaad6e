// One render pass is one usage scope: what it writes, nothing else in it may use. https://www.w3.org/TR/webgpu/#programming-model-resource-usages

import { hasDepth, hasStencil } from '../surface/formats';
import type { HeldView } from './attachments';
import type { BindGroupCore } from './bind-group';
import type { BufferCore } from './buffer';
import type { ViewCore } from './texture';

export class UsageScope {
  readonly #held: readonly HeldView[];
  readonly #groups = new Set<BindGroupCore>();
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
      if (attachment !== undefined) return `${view.called} in ${group.called} is sampled while the pass renders to it as ${attachment.what}; sample a copy, or end the pass first`;
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
  if (a.baseMipLevel >= b.baseMipLevel + b.mipLevelCount || b.baseMipLevel >= a.baseMipLevel + a.mipLevelCount) return false;
  const volume = view.texture.descriptor.dimension === '3d';
  if (!volume && (a.baseArrayLayer >= b.baseArrayLayer + b.arrayLayerCount || b.baseArrayLayer >= a.baseArrayLayer + a.arrayLayerCount)) return false;
  const format = b.format;
  if (format.aspect === 'color') return true;
  return (hasDepth(format) && !held.depthReadOnly) || (hasStencil(format) && !held.stencilReadOnly);
}
