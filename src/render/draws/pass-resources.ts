// What the draw calls of a pass bind that has to be prepared before it runs.
import type { BoundResource, PassState } from '../types';
import type { DrawList } from './draw-list';

/** Collects resources. One entry stands for all that bind the same buffer, or the same view in the same way. */
class Resources {
  readonly all: BoundResource[] = [];
  private readonly known = new Map<BoundResource['kind'], Set<object>>();

  add(resource: BoundResource): void {
    const { kind } = resource;
    const object = kind === 'buffer' ? resource.buffer : kind === 'sampler' ? resource.sampler : resource.view;
    let known = this.known.get(kind);
    if (known === undefined) this.known.set(kind, (known = new Set()));
    if (known.has(object)) return;
    known.add(object);
    this.all.push(resource);
  }
}

/** Lists are complete when their pass runs, and those of bundles are drawn many times. */
function listResources(list: DrawList): readonly BoundResource[] {
  if (list.resources !== null) return list.resources;
  const resources = new Resources();
  let last: unknown = null;
  for (const { groups } of list.states) {
    if (groups === last) continue;
    last = groups;
    for (const bound of groups) if (bound) for (const resource of bound.group.watched) resources.add(resource);
  }
  return (list.resources = resources.all);
}

/** Textures, and buffers that shaders may write, of a pass's draw calls, without duplicates. */
export function passResources({ runs }: PassState): readonly BoundResource[] {
  const lists = new Set(runs.map((run) => run.list));
  if (lists.size === 1) return listResources(runs[0]!.list);
  const resources = new Resources();
  for (const list of lists) for (const resource of listResources(list)) resources.add(resource);
  return resources.all;
}
