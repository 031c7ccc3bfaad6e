// Binds the stages of a pipeline to the bind groups and vertex buffers of a draw call: writes resource tables, uniform
// blocks, attribute tables, and the STAGE records after the first vertex stage.
import { Attribute, Draw, Resource, Stage } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import type { IrResource } from '../../ir';
import { putImmediates, putResource, sameGroups, type WithDraw } from '../resources/bound-groups';
import type { CommandWords } from '../memory/command-words';
import { put } from '../memory/words';
import { accessesDisjointElements, type TargetSize } from './disjoint-elements';
import type { Leaf, LeafPart, Pipeline } from '../pipeline/pipeline';
import type { Prologues } from './prologues';
import type { StageProgram } from '../shaders/stage-program';
import type { DrawState, DynamicState } from '../types';
import type { StageCounters } from './stage-counters';

/** Addresses of a STAGE's program, resource table and uniform block; zeros if the pipeline has no such stage. */
export interface BoundStage {
  readonly program: number;
  readonly resources: number;
  readonly uniforms: number;
  /** Draw calls with this stage have DRAW_FLAG_DISJOINT_ACCESSES. */
  readonly isApart: boolean;
}
type Links = readonly (readonly [number, number])[];
const NO_LINKS: Links = [];
const NO_STAGE: BoundStage = { program: 0, resources: 0, uniforms: 0, isApart: false };

/** What a draw call's stages read in addition to vertices. */
interface Read {
  readonly groups: DrawState['groups'];
  readonly immediates: DrawState['immediates'];
  /** Null if no shader reads it. */
  readonly blendConstant: DynamicState['blendConstant'] | null;
}

/** The stages of a pipeline, bound to particular bind groups. */
export interface Bound {
  readonly read: Read;
  /** The first vertex stage, and the values of address fields in its STAGE record. */
  readonly vertex: BoundStage;
  readonly links: Links;
  /** The fragment stage of each sink, with the other parts of its shader. */
  readonly fragments: readonly BoundFragment[];
}

export interface BoundFirst extends BoundStage {
  readonly secondPart: BoundStage;
}
export interface BoundFragment extends BoundFirst {
  readonly coarse: { readonly first: BoundStage; readonly pixels: BoundFirst } | null;
}

/** The vertex buffers of a pipeline: addresses of its attribute table and of the table of varying sources. */
export interface Fetched {
  readonly buffers: DrawState['vertexBuffers'];
  readonly attributes: number;
  readonly sources: number;
}

export class BoundStages {
  constructor(
    private readonly words: CommandWords,
    private readonly prologues: Prologues,
    private readonly pass: TargetSize,
    private readonly counters: StageCounters
  ) {}

  /** Returns the pipeline's last tables if the vertex buffers are the same, else new ones. */
  fetch(pipeline: Pipeline, { vertexBuffers: buffers }: DrawState, last: Fetched | undefined): Fetched {
    if (last && sameBuffers(last.buffers, buffers)) return last;
    const sources = last?.sources ?? this.words.table(pipeline.varyingSources);
    return { buffers, attributes: this.attributes(pipeline, buffers), sources };
  }

  /** Returns the last bound stages if everything that they read is the same, else new ones. */
  bind(
    pipeline: Pipeline,
    { groups, immediates }: Pick<DrawState, 'groups' | 'immediates'>,
    dynamic: DynamicState,
    last: Bound | undefined
  ): Bound {
    const blendConstant = pipeline.readsBlendConstant ? dynamic.blendConstant : null;
    if (
      last?.read.immediates === immediates
      && last.read.blendConstant === blendConstant
      && sameGroups(last.read.groups, groups)
    )
      return last;
    const read = { groups, immediates, blendConstant };
    const fragments = pipeline.leaves.map((leaf) => this.bindLeaf(leaf, read));
    const {
      geometry,
      vertexStages: { placed },
    } = pipeline;
    const { program, sources } = placed[0]!;
    const vertex = this.bindStage(program === null ? null : geometry[program]!, read);
    const isAlone = placed.length === 1 && sources.length === 0;
    return { read, vertex, links: isAlone ? NO_LINKS : this.bindBehind(pipeline, read), fragments };
  }

  private bindLeaf({ fragment, secondPart, coarse }: Leaf, read: Read): BoundFragment {
    const bound = this.bindFirst(fragment, secondPart, read);
    if (!coarse) return { ...bound, coarse };
    return {
      ...bound,
      coarse: {
        first: this.bindStage(coarse.first.fragment, read),
        pixels: this.bindFirst(coarse.pixels.fragment, coarse.pixels.secondPart, read),
      },
    };
  }

  private bindFirst(fragment: StageProgram | null, secondPart: LeafPart | null, read: Read): BoundFirst {
    const { program, resources, uniforms, isApart } = this.bindStage(fragment, read);
    return {
      program,
      resources,
      uniforms,
      isApart,
      secondPart: this.bindStage(secondPart && secondPart.fragment, read),
    };
  }

  /** Writes the STAGE records after the first vertex stage. Returns the fields of the first one that refer to them. */
  private bindBehind(pipeline: Pipeline, state: Read): Links {
    const {
      geometry,
      vertexStages: { placed },
    } = pipeline;
    const records: number[] = [];
    let links: Links = [];
    // Stages refer to later ones, so the last one is written first.
    for (let i = placed.length - 1; i >= 0; i--) {
      const { fields, program, next, branches, sources, words } = placed[i]!;
      links = [
        [Stage.next, next === null ? 0 : records[next]!],
        [Stage.branches, this.words.table(branches.map((branch) => records[branch]!))],
        [Stage.sources, this.words.table(sources)],
        [Stage.words, this.words.table(words)],
      ];
      if (i === 0) break;
      const bound = this.bindStage(program === null ? null : geometry[program]!, state);
      const record = (records[i] = this.words.take(Stage.bytes));
      const u32 = this.words.now().u32.fill(0, record >>> 2, (record + Stage.bytes) >>> 2);
      putStage(u32, record, bound);
      for (const [field, value] of [...fields, ...links]) u32[(record + field) >>> 2] = value;
      if (program !== null) this.counters.addVertexStage({ pipeline, index: program, record });
    }
    return links;
  }

  private bindStage(stage: StageProgram | null, state: Read): BoundStage {
    if (!stage) return NO_STAGE;
    const resources = this.resources(stage.resources, state);
    const { memory } = stage;
    const uniforms = memory.hasPrologue ? this.uniforms(stage, resources) : memory.constants;
    // `accessesDisjointElements` reads what the prologues have computed.
    if (stage.needsQuadOrder) this.prologues.runAll();
    const isApart =
      stage.needsQuadOrder && accessesDisjointElements(stage, resources, uniforms, this.pass, this.words.now().u32);
    return { program: memory.address, resources, uniforms, isApart };
  }

  private resources(resources: readonly IrResource[], state: Read): number {
    const table = this.words.take(Math.max(1, resources.length) * Resource.bytes);
    let { u32 } = this.words.now();
    let at = table;
    for (const resource of resources) {
      if (resource.kind === 'workgroup' || resource.kind === 'counters')
        return unreachable(`render: ${resource.kind} in a draw`);
      if (resource.kind === 'immediate' || resource.kind === 'blend-constant') {
        const address = this.given(resource, state);
        u32 = this.words.now().u32;
        putImmediates(u32, at, address, resource);
      } else {
        const { group: index, binding } = resource;
        const group = state.groups[index];
        const bound = group?.group.entries.get(binding);
        if (!group || !bound) unreachable(`render: group ${index} binding ${binding} is not bound`);
        putResource(u32, at, group, bound, binding);
      }
      at += Resource.bytes;
    }
    return table;
  }

  /** Address of data that comes with a draw call. */
  private given({ kind }: WithDraw, { immediates, blendConstant }: Read): number {
    if (kind === 'immediate') return this.words.put(immediates ?? unreachable('render: no immediate data'));
    const address = this.words.take(16);
    put(this.words.now().f32, address, blendConstant ?? unreachable('render: no blend constant'));
    return address;
  }

  private uniforms(stage: StageProgram, resources: number): number {
    const block = this.words.take(Math.max(4, stage.uniforms * 4));
    this.prologues.add(this.words.now().u32, stage.memory.address, resources, block);
    return block;
  }

  /** Writes the table of attributes. */
  attributes({ attributes, attributeTable }: Pipeline, buffers: DrawState['vertexBuffers']): number {
    if (attributes.length === 0) return 0;
    const table = this.words.put(attributeTable);
    const { u32 } = this.words.now();
    let at = table;
    for (const { slot, offset } of attributes) {
      const bound = buffers[slot];
      u32[(at + Attribute.address) >>> 2] = bound ? bound.buffer.address + bound.offset + offset : 0;
      u32[(at + Attribute.limit) >>> 2] = bound ? Math.max(0, bound.size - offset) : 0;
      at += Attribute.bytes;
    }
    return table;
  }
}

export function putStage(u32: Uint32Array, stage: number, { program, uniforms, resources }: BoundStage): void {
  u32[(stage + Stage.program) >>> 2] = program;
  u32[(stage + Stage.uniforms) >>> 2] = uniforms;
  u32[(stage + Stage.resources) >>> 2] = resources;
}

export function putFetched(u32: Uint32Array, record: number, { attributes, sources }: Fetched): void {
  u32[(record + Draw.attributes) >>> 2] = attributes;
  u32[(record + Draw.varyingSources) >>> 2] = sources;
}

/** Whether draw calls with these vertex buffers fetch the same. */
export function sameBuffers(a: DrawState['vertexBuffers'], b: DrawState['vertexBuffers']): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) {
    const one = a[i];
    const other = b[i];
    if (one === other) continue;
    if (!one || !other || one.buffer !== other.buffer || one.offset !== other.offset || one.size !== other.size)
      return false;
  }
  return true;
}
