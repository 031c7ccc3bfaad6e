// Texture reads: each is a call of the kernel for one quad, through a SITE record (assembly/layout/site.ts). Reads of
// the same list with the same coordinates, sampler, level and offset are one site, whose addresses and weights the
// kernel computes once.

import { OPERAND_NONE } from '../../../assembly/layout/opcodes';
import { SITE_MOST_TEXTURES } from '../../../assembly/layout/site-codes';
import { MODE_BIAS, MODE_GRAD, MODE_IMPLICIT, MODE_LEVEL } from '../../../assembly/layout/texture-codes';
import { Site, SiteDescription } from '../../../build/layout';
import { unreachable } from '../../base/assert';
import { accessOperands, type Instruction, type IrNode, type IrProgram, type TextureAccess } from '../../ir';
import type { Values } from './values';

const MODES = {
  implicit: MODE_IMPLICIT, bias: MODE_BIAS, level: MODE_LEVEL, grad: MODE_GRAD, load: MODE_LEVEL,
} as const;
type TextureResource = Extract<IrProgram['resources'][number], { kind: 'texture' }>;

export class Sites {
  private readonly descriptions: number[] = [];
  private readonly grouped = new Set<Instruction>();
  private memoryBytes = 0;
  private count = 0;
  /** Known beforehand: memory of lane arrays stands behind all sites. */
  private readonly capacity: number;

  constructor(private readonly program: IrProgram, reads: number) {
    this.capacity = reads;
  }

  /** SITE_DESCRIPTIONs. */
  words(): Uint32Array { return Uint32Array.from(this.descriptions); }

  /** Bytes behind the outputs in the register file that the program needs. */
  get bytes(): number { return this.capacity * Site.bytes + this.memoryBytes; }

  /** Memory of a quad, multiples of 16 bytes; its offset behind the sites. */
  takeMemory(bytes: number): number {
    this.memoryBytes += bytes;
    return this.memoryBytes - bytes;
  }

  /** The same from the first site on. */
  memoryOffset(offset: number): number { return this.capacity * Site.bytes + offset; }

  /** Reads one texture and those of `list` that can be read with it, and keeps the wanted channels. */
  read(first: Instruction, list: readonly IrNode[], values: Values): void {
    if (this.grouped.has(first)) return;
    const group = this.groupOf(first, list, values);
    for (const member of group) this.grouped.add(member);
    const access = first.texture!;
    const resource = this.resource(access);
    const slots = operandSlots(resource.dimension, access);
    const site = this.count++ * Site.bytes;
    this.describe(group, slots, values);
    const { writer } = values.frame;
    const sites = values.frame.base('sites');
    first.args.forEach((id, k) => {
      writer.get(sites);
      values.push(id);
      writer.memory('v128.store', site + Site.operands + slots[k]! * 16);
    });
    // The other members' operands are the same values.
    for (const member of group.slice(1)) for (const id of member.args) values.passOver(id);
    writer.get(sites);
    writer.i32(site);
    writer.op('i32.add');
    writer.call(values.frame.imports.runSite);
    group.forEach((member, texture) => member.results.forEach((result, channel) => {
      if (values.needs.uses(result) === 0) return;
      values.keep(result, () => {
        writer.get(sites);
        writer.memory('v128.load', site + Site.results + (texture * 4 + channel) * 16);
      });
    }));
  }

  private groupOf(first: Instruction, list: readonly IrNode[], values: Values): Instruction[] {
    const group = [first];
    const access = first.texture!;
    if (first.op !== 'texture.sample' || access.compare || this.resource(access).dimension !== '2d') return group;
    const { needs } = values;
    for (const node of list) {
      if (group.length === SITE_MOST_TEXTURES) break;
      if (node === first || node.kind !== 'op' || node.op !== 'texture.sample' || !needs.needed(node)
        || this.grouped.has(node))
        continue;
      const other = node.texture!;
      const alike = other.mode === access.mode && other.sampler === access.sampler && !other.compare
        && other.offset.join() === access.offset.join()
        && this.resource(other).dimension === '2d'
        && node.args.every((id, k) => needs.root(id) === needs.root(first.args[k]!));
      if (alike) group.push(node);
    }
    return group;
  }

  private describe(group: readonly Instruction[], slots: readonly number[], values: Values): void {
    const { op, texture } = group[0]!;
    const access = texture!;
    const words = Array<number>(SiteDescription.bytes / 4).fill(0);
    const put = (field: number, value: number): void => { words[field / 4] = value; };
    put(SiteDescription.count, group.length);
    put(SiteDescription.mode, MODES[access.mode]);
    put(SiteDescription.load, op === 'texture.load' ? 1 : 0);
    put(SiteDescription.sampler, access.sampler < 0 ? OPERAND_NONE : access.sampler);
    put(SiteDescription.offsetX, access.offset[0] | 0);
    put(SiteDescription.offsetY, access.offset[1] | 0);
    put(SiteDescription.operands, slots.reduce((mask, slot) => mask | (1 << slot), 0));
    group.forEach((member, k) => {
      const wanted = member.results.reduce((mask, id, channel) => (values.needs.uses(id) > 0
        ? mask | (1 << channel)
        : mask), 0);
      put(SiteDescription.textures + k * 4, member.texture!.texture | (wanted << 16));
    });
    for (const word of words) this.descriptions.push(word);
  }

  private resource(access: TextureAccess): TextureResource {
    const resource = this.program.resources[access.texture]!;
    return resource.kind === 'texture' ? resource : unreachable('jit: a texture read of no texture');
  }
}

/** Slot (order of Site.operands: u, v, w, layer, level, compare, ddx u v w, ddy u v w) of each argument. */
function operandSlots(dimension: TextureResource['dimension'], access: TextureAccess): number[] {
  const arrayed = dimension.endsWith('-array');
  const count = accessOperands(dimension, { mode: 'implicit', compare: false }).length - (arrayed ? 1 : 0);
  const coordinates = [0, 1, 2].slice(0, count);
  const slots = [...coordinates];
  if (arrayed) slots.push(3);
  if (access.mode === 'bias' || access.mode === 'level' || access.mode === 'load') slots.push(4);
  if (access.mode === 'grad') slots.push(...coordinates.map((k) => 6 + k), ...coordinates.map((k) => 9 + k));
  if (access.compare) slots.push(5);
  return slots;
}
