// Writes DRAW PATTERNs (assembly/layout/job/draw-call.ts), from which workers make the DRAW records of draw calls that
// only differ in their counts and dynamic offsets, or in their counts, bind groups and vertex buffers. For the latter,
// the pattern has zeros in place of addresses and sizes, and workers add those of each draw call as its "offsets":
//
//   address of the attribute table │ for each resource in a bind group: a RESOURCE
import { Draw, DrawPattern, Prologue, Resource, Stage } from '../../../build/layout';
import { alignUp } from '../../base/bits';
import type { CommandWords } from '../memory/command-words';
import { isOrderedAlike } from '../pipeline/draw-order';
import type { Pipeline } from '../pipeline/pipeline';
import { resourceIndex, resourceWords } from '../resources/bound-groups';
import type { StageProgram } from '../shaders/stage-program';
import type { DrawCommand, DrawState } from '../types';

const RESOURCE_WORDS = Resource.bytes / 4;

/** A DRAW PATTERN, the bytes of a block that is made from it, and the DRAW record that it was made from. */
export interface Pattern {
  readonly address: number;
  readonly bytes: number;
  readonly record: number;
}

/** A pattern of draw calls with different bind groups and vertex buffers. */
export interface GroupPattern extends Pattern {
  /** The resources of which each draw call has its own. */
  readonly sources: readonly Source[];
}
interface Source {
  readonly group: number;
  readonly binding: number;
  /** resourceIndex() of the binding. */
  readonly index: number;
}

/** What the blocks of a pattern contain in addition to the DRAW record. */
interface Parts {
  bytes: number;
  readonly moves: number[];
  readonly offsets: number[];
  readonly prologues: { readonly program: number; readonly resources: number; readonly uniforms: number }[];
}

interface UsedStage {
  /** Offset of the STAGE in a DRAW record. */
  readonly field: number;
  readonly program: StageProgram;
}

function stagesOf({ leaves, geometry, vertexStages }: Pipeline): readonly UsedStage[] {
  const { program: first } = vertexStages.placed[0]!;
  const vertex = first === null ? null : geometry[first]!;
  const { fragment } = leaves[0]!;
  return [
    ...(vertex ? [{ field: Draw.vertex, program: vertex }] : []),
    ...(fragment ? [{ field: Draw.fragment, program: fragment }] : []),
  ];
}

/** Removes from a stage's resource table what draw calls have for themselves. `place`: of the table in the block. */
type Remove = (u32: Uint32Array, table: number, place: number, program: StageProgram, parts: Parts) => void;

/**
 * Writes the pattern of draw calls like `command`, whose DRAW record is at `record`. Returns null if each of them needs
 * a record that the calling thread writes. The pipeline must be plain.
 */
export function writePattern(
  words: CommandWords,
  record: number,
  { state, groups }: Pick<DrawCommand, 'state' | 'groups'>
): Pattern | null {
  return patternOf(words, record, state.pipeline as Pipeline, (u32, table, place, program, { offsets }) =>
    removeOffsets(u32, table, place, program, groups, offsets)
  );
}

/** As `writePattern`, for draw calls with other bind groups and vertex buffers. */
export function writeGroupPattern(
  words: CommandWords,
  record: number,
  { groups, ...state }: DrawState
): GroupPattern | null {
  const sources: Source[] = [];
  const remove: Remove = (u32, table, place, { resources }, { offsets }) =>
    resources.forEach((resource, i) => {
      if (!('group' in resource)) return;
      const { group, binding } = resource;
      const known = sources.findIndex((source) => source.group === group && source.binding === binding);
      const index = resourceIndex(groups[group]!.group, binding);
      const source = known < 0 ? sources.push({ group, binding, index }) - 1 : known;
      for (let word = 0; word < RESOURCE_WORDS; word++) {
        const field = i * Resource.bytes + word * 4;
        u32[(table + field) >>> 2] = 0;
        offsets.push(place + field, 1 + source * RESOURCE_WORDS + word);
      }
    });
  const pattern = patternOf(words, record, state.pipeline as Pipeline, remove, [Draw.attributes]);
  return pattern && { ...pattern, sources };
}

/** Writes what the blocks of a draw call lack. `attributes`: address of its attribute table. Returns the address. */
export function writeValues(
  words: CommandWords,
  { sources }: GroupPattern,
  groups: DrawState['groups'],
  attributes: number
): number {
  const values = words.take(4 + sources.length * Resource.bytes);
  const { u32 } = words.now();
  u32[values >>> 2] = attributes;
  let at = values + 4;
  for (const { group, index } of sources) {
    const resources = resourceWords(groups[group]!.group);
    u32[(at + Resource.address) >>> 2] = resources[index]!;
    u32[(at + Resource.size) >>> 2] = resources[index + 1]!;
    at += Resource.bytes;
  }
  return values;
}

/** `fields`: fields of the DRAW record that draw calls have for themselves. They are the first offsets. */
function patternOf(
  words: CommandWords,
  record: number,
  pipeline: Pipeline,
  remove: Remove,
  fields: readonly number[] = []
): Pattern | null {
  const stages = stagesOf(pipeline);
  if (stages.some(({ program }) => program.needsQuadOrder)) return null;
  if (!isOrderedAlike(words.now().u32[(record + Draw.independent) >>> 2]!)) return null;
  const recordBytes = pipeline.template.byteLength;
  const parts: Parts = { bytes: alignUp(recordBytes, 16), moves: [], offsets: [], prologues: [] };
  const places = stages.map((stage) => place(stage, parts));
  const block = words.take(parts.bytes);
  const { u32 } = words.now();
  u32.copyWithin(block >>> 2, record >>> 2, (record + recordBytes) >>> 2);
  fields.forEach((field, i) => {
    u32[(block + field) >>> 2] = 0;
    parts.offsets.push(field, i);
  });
  stages.forEach(({ field, program }, i) => {
    const { resources, uniforms } = places[i]!;
    const bytes = program.resources.length * Resource.bytes;
    const from = u32[(record + field + Stage.resources) >>> 2]!;
    u32.copyWithin((block + resources) >>> 2, from >>> 2, (from + bytes) >>> 2);
    u32[(block + field + Stage.resources) >>> 2] = block + resources;
    if (field === Draw.fragment) u32[(block + Draw.shading) >>> 2] = block + resources;
    if (uniforms !== null) u32[(block + field + Stage.uniforms) >>> 2] = block + uniforms;
    remove(u32, block + resources, resources, program, parts);
  });
  return { address: writeRecord(words, block, parts), bytes: parts.bytes, record };
}

/** Assigns places in the block to a stage's resource table and uniform block. */
function place({ field, program }: UsedStage, parts: Parts): { resources: number; uniforms: number | null } {
  const take = (bytes: number): number => {
    const at = parts.bytes;
    parts.bytes += alignUp(Math.max(bytes, 4), 16);
    return at;
  };
  const resources = take(program.resources.length * Resource.bytes);
  parts.moves.push(field + Stage.resources);
  if (field === Draw.fragment) parts.moves.push(Draw.shading);
  if (!program.memory.hasPrologue) return { resources, uniforms: null };
  const uniforms = take(program.uniforms * 4);
  parts.moves.push(field + Stage.uniforms);
  parts.prologues.push({ program: program.memory.address, resources, uniforms });
  return { resources, uniforms };
}

/**
 * Subtracts the dynamic offsets of the first draw call from the resource table at `table`, and notes where they were.
 */
function removeOffsets(
  u32: Uint32Array,
  table: number,
  place: number,
  { resources }: StageProgram,
  groups: DrawCommand['groups'],
  offsets: number[]
): void {
  resources.forEach((resource, i) => {
    if (!('group' in resource)) return;
    const { group: number, binding } = resource;
    const bound = groups[number];
    const index = bound?.group.dynamic.indexOf(binding) ?? -1;
    if (!bound || index < 0) return;
    const before = groups.slice(0, number).reduce((sum, other) => sum + (other?.group.dynamic.length ?? 0), 0);
    const field = i * Resource.bytes + Resource.address;
    u32[(table + field) >>> 2]! -= bound.dynamicOffsets![index]!;
    offsets.push(place + field, before + index);
  });
}

function writeRecord(words: CommandWords, block: number, { bytes, moves, offsets, prologues }: Parts): number {
  const tables = [
    words.table(moves),
    words.table(offsets),
    words.table(
      prologues.flatMap(({ program, resources, uniforms }) => {
        const prologue: number[] = [];
        prologue[Prologue.program >>> 2] = program;
        prologue[Prologue.resources >>> 2] = block + resources;
        prologue[Prologue.uniforms >>> 2] = block + uniforms;
        return prologue;
      })
    ),
  ] as const;
  const address = words.take(DrawPattern.bytes);
  const { u32 } = words.now();
  const put = (field: number, value: number): void => {
    u32[(address + field) >>> 2] = value;
  };
  put(DrawPattern.block, block);
  put(DrawPattern.blockBytes, bytes);
  put(DrawPattern.moves, tables[0]);
  put(DrawPattern.moveCount, moves.length);
  put(DrawPattern.offsets, tables[1]);
  put(DrawPattern.offsetCount, offsets.length / 2);
  put(DrawPattern.prologues, tables[2]);
  put(DrawPattern.prologueCount, prologues.length);
  return address;
}
