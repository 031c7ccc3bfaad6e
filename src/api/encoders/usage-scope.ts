// A render pass is one usage scope: a resource that it writes must not be used otherwise in it.
// https://www.w3.org/TR/webgpu/#programming-model-resource-usages

import { hasDepth, hasStencil } from '../../surface/formats';
import type { HeldView } from './attachments';
import type { BindGroupCore } from '../resources/bind-group';
import type { BufferCore } from '../resources/buffer';
import type { TextureCore, ViewCore } from '../resources/texture';

/** A view in a bind group, and its name for messages. */
interface Used {
  readonly view: ViewCore;
  readonly what: () => string;
}
interface Stored extends Used {
  readonly access: GPUStorageTextureAccess;
}

export class UsageScope {
  readonly #held: readonly HeldView[];
  readonly #groups = new Set<BindGroupCore>();
  /** Scopes of executed bundles. */
  readonly #scopes = new Set<UsageScope>();
  /**
   * The scope of a bundle that was executed before anything else was used. It is not copied: bundles of thousands of
   * groups are executed in each frame.
   */
  #first: UsageScope | null = null;
  readonly #sampled = new Map<TextureCore, Used[]>();
  readonly #stored = new Map<TextureCore, Stored[]>();
  readonly #buffers = new Map<BufferCore, 'read' | 'write'>();

  constructor(held: readonly HeldView[]) {
    this.#held = held;
  }

  /** Adds a group; returns a sentence if its resources cannot be used in this pass. */
  addGroup(group: BindGroupCore): string | null {
    if (this.#groups.has(group) || (this.#first !== null && this.#first.#groups.has(group))) return null;
    this.#groups.add(group);
    for (const { buffer, entry } of group.buffers) {
      const write = entry.resource.kind === 'buffer' && entry.resource.type === 'storage';
      const conflict = this.addBuffer(buffer, write ? 'write' : 'read');
      if (conflict !== null) return conflict;
    }
    for (const view of group.views) {
      const conflict = this.addSampled(view, () => `${view.called} in ${group.called}`);
      if (conflict !== null) return conflict;
    }
    for (const { view, access } of group.surfaces) {
      const conflict = this.#addStorage({ view, access, what: () => `${view.called} in ${group.called}` });
      if (conflict !== null) return conflict;
    }
    return null;
  }

  /** Adds a sampled view; returns a sentence that calls it `what` if it cannot be sampled in this pass. */
  addSampled(view: ViewCore, what: () => string): string | null {
    const attachment = this.#held.find((held) => conflicts(held, view));
    const stored = this.#storedAt(view).find((other) => other.access !== 'read-only');
    if (stored !== undefined)
      return `${what()} is sampled in a pass that may store to it: ${stored.what()}; sample it in another pass`;
    add(this.#sampled, { view, what });
    return attachment === undefined
      ? null
      : `${what()} is sampled while the pass renders to it as ${attachment.purpose}; sample a copy, `
          + 'or end the pass first';
  }

  #addStorage(stored: Stored): string | null {
    const { view, access, what } = stored;
    const attachment = this.#held.find((held) => overlap(held.view, view));
    if (attachment !== undefined)
      return (
        `${what()} is a storage texture in a pass that renders to it as ${attachment.purpose}; `
        + 'use a pass without that attachment'
      );
    const [sampled] = [...at(this.#sampled, view), ...(this.#first === null ? [] : at(this.#first.#sampled, view))];
    if (access !== 'read-only' && sampled !== undefined)
      return (
        `${what()} is a storage texture that the pass may store to, and it is sampled there: ${sampled.what()}; `
        + 'sample it in another pass'
      );
    const before = this.#storedAt(view).find((other) => differ(stored, other));
    if (before !== undefined)
      return (
        `${what()} and ${before.what()} are one storage texture with access ${access} and ${before.access}; `
        + 'use one access in a pass'
      );
    add(this.#stored, stored);
    return null;
  }

  /** Returns the storage views that overlap `view`. */
  #storedAt(view: ViewCore): readonly Stored[] {
    const own = at(this.#stored, view);
    return this.#first === null ? own : [...own, ...at(this.#first.#stored, view)];
  }

  /** Whether nothing was used before, so that another scope can only conflict with attachments. */
  get #isUnused(): boolean {
    return this.#first === null && this.#groups.size === 0 && this.#buffers.size === 0 && this.#sampled.size === 0;
  }
  /** Whether the textures in a scope are attachments of this one. */
  #rendersTo(other: UsageScope): boolean {
    return this.#held.some(({ view: { texture } }) => other.#sampled.has(texture) || other.#stored.has(texture));
  }

  /** Adds the resources of a bundle. */
  addScope(other: UsageScope): string | null {
    if (this.#scopes.has(other)) return null;
    this.#scopes.add(other);
    if (this.#isUnused && !this.#rendersTo(other)) {
      this.#first = other;
      return null;
    }
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
    const before = this.#buffers.get(buffer) ?? (this.#first === null ? undefined : this.#first.#buffers.get(buffer));
    if (before === undefined) this.#buffers.set(buffer, use);
    else if (before !== use) return `${buffer.called} is both written as storage and read in this pass`;
    return null;
  }
}

/**
 * Whether two accesses exclude each other in a pass. Write-only and read-write access do, as in the conformance suite
 * and in browsers, though the specification has one usage for both. Multisampled storage textures are Rasterloom's
 * extension; passes may write through one view and read through another.
 */
function differ({ view, access }: Stored, other: Stored): boolean {
  if (view.samples > 1) return (access === 'read-only') !== (other.access === 'read-only');
  return access !== other.access;
}

/** Returns the views that overlap `view`. */
const at = <T extends Used>(uses: ReadonlyMap<TextureCore, readonly T[]>, view: ViewCore): readonly T[] =>
  (uses.get(view.texture) ?? []).filter((other) => overlap(other.view, view));

function add<T extends Used>(uses: Map<TextureCore, T[]>, use: T): void {
  const list = uses.get(use.view.texture);
  if (list === undefined) uses.set(use.view.texture, [use]);
  else list.push(use);
}

/** Whether views have a subresource in common. All slices of a 3d texture are one subresource. */
export function overlap({ texture, shape: a }: ViewCore, { texture: other, shape: b }: ViewCore): boolean {
  if (texture !== other) return false;
  if (a.baseMipLevel >= b.baseMipLevel + b.mipLevelCount || b.baseMipLevel >= a.baseMipLevel + a.mipLevelCount)
    return false;
  return (
    texture.descriptor.dimension === '3d'
    || (a.baseArrayLayer < b.baseArrayLayer + b.arrayLayerCount
      && b.baseArrayLayer < a.baseArrayLayer + a.arrayLayerCount)
  );
}

function conflicts(held: HeldView, view: ViewCore): boolean {
  if (!overlap(held.view, view)) return false;
  const { format } = view.shape;
  if (format.aspect === 'color') return true;
  return (hasDepth(format) && !held.depthReadOnly) || (hasStencil(format) && !held.stencilReadOnly);
}
