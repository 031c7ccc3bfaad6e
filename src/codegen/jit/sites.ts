// Texture reads. Each is a call into the kernel for one quad, through a SITE record (assembly/layout/warp/site.ts).
// Reads in the same list with the same coordinates, sampler, level and offset share one site, so that the kernel
// computes addresses and weights once.

import { OPERAND_NONE } from '../../../assembly/layout/program/opcodes';
import { SITE_MAX_TEXTURES } from '../../../assembly/layout/warp/site-codes';
import { Site, SiteDescription } from '../../../build/layout';
import type { IrProgram } from '../../ir';
import { bitsOf, type Operation, type Step } from '../control';
import { LEVEL_SLOT, modeOf, operandSlots, textureOf } from '../texture-operands';
import { i32, v128 } from '../wasm/expression';
import type { Values } from './values';

/** The reads at one site, and the offset of the site. */
interface Group {
  readonly members: readonly Operation[];
  readonly site: number;
}

/** Equal for reads that can share one site. */
function readKey({ instruction: { args, texture } }: Operation, { control: { roots } }: Values): string {
  return [texture!.mode, texture!.sampler, ...texture!.offset, ...args.map((id) => roots[id])].join(' ');
}

/** Whether a read samples at the constant level 0. */
function readsBase({ instruction: { op, args, texture } }: Operation, { control, program }: Values): boolean {
  if (op !== 'texture.sample' || texture!.mode !== 'level') return false;
  return bitsOf(control, args[operandSlots(program, texture!).indexOf(LEVEL_SLOT)]!) === 0;
}

export class Sites {
  private readonly descriptions: number[] = [];
  /** By first member. The quads of an iteration use a site one after another. */
  private readonly groups = new Map<Operation, Group>();
  private readonly grouped = new Set<Operation>();
  private readonly reads = new Map<readonly Step[], Map<string, Operation[]>>();
  private memoryBytes = 0;
  private count = 0;
  /** Known in advance, because the memory of lane arrays follows all sites. */
  private readonly capacity: number;

  constructor(
    private readonly program: IrProgram,
    reads: number
  ) {
    this.capacity = reads;
  }

  /** The SITE_DESCRIPTIONs. */
  words(): Uint32Array {
    return Uint32Array.from(this.descriptions);
  }

  /** Bytes of the register file that the program needs after the outputs. */
  get bytes(): number {
    return this.capacity * Site.bytes + this.memoryBytes;
  }

  /** Reserves memory for a quad, in multiples of 16 bytes. Returns its offset after the sites. */
  takeMemory(bytes: number): number {
    this.memoryBytes += bytes;
    return this.memoryBytes - bytes;
  }

  /** Converts such an offset to one from the first site. */
  memoryOffset(offset: number): number {
    return this.capacity * Site.bytes + offset;
  }

  /** Reads a texture and the others of its list that can share the site, and keeps the needed channels. */
  read(first: Operation, values: Values): void {
    const known = this.groups.get(first);
    if (known === undefined && this.grouped.has(first)) return;
    const { members, site } = known ?? this.newGroup(first, values);
    const { args, texture } = first.instruction;
    const slots = operandSlots(this.program, texture!);
    const { writer, sites, imports } = values.frame;
    args.forEach((id, k) => writer.store(sites, values.value(id), site + Site.operands + slots[k]! * 16));
    // The other members have the same operands.
    for (const member of members.slice(1)) for (const id of member.instruction.args) values.skipUse(id);
    writer.run(imports.runSite, i32.sum(sites, i32.constant(site)));
    members.forEach(({ instruction: { results } }, k) =>
      results.forEach((result, channel) => {
        if (values.needs.uses[result]! > 0)
          values.keep(result, v128.load(sites, site + Site.results + (k * 4 + channel) * 16));
      })
    );
  }

  private newGroup(first: Operation, values: Values): Group {
    const group = { members: this.groupOf(first, values), site: this.count++ * Site.bytes };
    this.groups.set(first, group);
    for (const member of group.members) this.grouped.add(member);
    this.describe(group.members, operandSlots(this.program, first.instruction.texture!), values);
    return group;
  }

  private groupOf(first: Operation, values: Values): Operation[] {
    if (!this.canShare(first)) return [first];
    const alike = this.readsOf(first.list, values).get(readKey(first, values))!;
    // The reads at the front are usually done already.
    while (this.grouped.has(alike[0]!)) alike.shift();
    const group = [first];
    for (const read of alike) {
      if (group.length === SITE_MAX_TEXTURES) break;
      if (read !== first && values.needs.needed[read.position] === 1 && !this.grouped.has(read)) group.push(read);
    }
    return group;
  }

  /** Whether a read can share its site with others. */
  private canShare({ instruction: { op, texture } }: Operation): boolean {
    return (
      op === 'texture.sample'
      && texture!.mode !== 'gather'
      && !texture!.compare
      && textureOf(this.program, texture!).dimension === '2d'
    );
  }

  /** The reads of a list that can share a site, grouped by key. */
  private readsOf(list: readonly Step[], values: Values): Map<string, Operation[]> {
    const known = this.reads.get(list);
    if (known !== undefined) return known;
    const reads = new Map<string, Operation[]>();
    for (const step of list) {
      if (step.kind !== 'op' || !this.canShare(step)) continue;
      const key = readKey(step, values);
      const alike = reads.get(key);
      if (alike === undefined) reads.set(key, [step]);
      else alike.push(step);
    }
    this.reads.set(list, reads);
    return reads;
  }

  private describe(group: readonly Operation[], slots: readonly number[], values: Values): void {
    const { op, texture } = group[0]!.instruction;
    const { sampler, offset } = texture!;
    const words = Array<number>(SiteDescription.bytes / 4).fill(0);
    const put = (field: number, value: number): void => {
      words[field / 4] = value;
    };
    put(SiteDescription.count, group.length);
    put(SiteDescription.mode, modeOf(texture!));
    put(SiteDescription.load, op === 'texture.load' ? 1 : 0);
    put(SiteDescription.sampler, sampler < 0 ? OPERAND_NONE : sampler);
    put(SiteDescription.offsetX, offset[0] | 0);
    put(SiteDescription.offsetY, offset[1] | 0);
    put(SiteDescription.offsetZ, offset[2] | 0);
    put(
      SiteDescription.operands,
      slots.reduce((mask, slot) => mask | (1 << slot), 0)
    );
    put(SiteDescription.baseLevel, readsBase(group[0]!, values) ? 1 : 0);
    group.forEach(({ instruction }, k) => {
      const wanted = instruction.results.reduce(
        (mask, id, channel) => (values.needs.uses[id]! > 0 ? mask | (1 << channel) : mask),
        0
      );
      put(SiteDescription.textures + k * 4, instruction.texture!.texture | (wanted << 16));
    });
    for (const word of words) this.descriptions.push(word);
  }
}
