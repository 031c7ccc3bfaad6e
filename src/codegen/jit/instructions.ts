// Writes the instructions of a program's body for one quad. Each kind of instruction has its own file.

import { unreachable } from '../../base/assert';
import { isAtomic, variablesReadAtStart, writesOutside } from '../../ir';
import type { Operation, Step } from '../control';
import type { Local } from '../wasm/expression';
import type { Label } from '../wasm/writer';
import { CommonCases } from './common';
import { writeAcrossLanes } from './lanes';
import { loadRows, MemoryOperations } from './memory';
import type { Sites } from './sites';
import { StorageAccesses } from './storage';
import { loadStrided } from './strided';
import { TexelAccesses } from './surfaces';
import type { Values } from './values';

export class Instructions {
  private readonly memory: MemoryOperations;
  private readonly samples: TexelAccesses;
  private readonly surfaces: TexelAccesses;
  private readonly images: TexelAccesses;
  private readonly storage: StorageAccesses;
  private readonly common: CommonCases;
  /** Where a quad continues after reading a non-resident page; null if that cannot happen. */
  end: Label | null = null;
  /** Lists in which a check for misses has been written. It precedes the first write to memory. */
  private readonly looked = new Set<readonly Step[]>();
  /** Loads that were written together with an earlier one. */
  private readonly loaded = new Set<Operation>();

  constructor(
    private readonly values: Values,
    private readonly sites: Sites
  ) {
    this.memory = new MemoryOperations(values, sites);
    this.samples = new TexelAccesses(values, sites, 'texture');
    this.surfaces = new TexelAccesses(values, sites, 'surface');
    this.images = new TexelAccesses(values, sites, 'image');
    this.storage = new StorageAccesses(values, sites);
    this.common = new CommonCases(values);
  }

  /** Establishes the state before the first instruction: the active lanes, and zeros that can be observed. */
  start(): void {
    const {
      values,
      values: { frame, program },
    } = this;
    if (values.exec !== null)
      frame.writer.set(values.exec, values.startsWithFullQuads ? frame.splat(~0) : values.quad.exec);
    for (const variable of variablesReadAtStart(program)) {
      if (values.words.isVariable(variable)) values.words.clear(variable);
      else frame.writer.set(values.variable(variable), frame.splat(0));
    }
    this.memory.clear();
    const written = new Set<number>();
    for (const node of program.body) if (node.kind === 'op' && node.op === 'output') written.add(node.imm);
    for (let k = 0; k < program.outputs.length; k++) if (!written.has(k)) values.storeOutput(k, frame.splat(0));
  }

  private get exec(): Local<'v128'> {
    return this.values.exec ?? unreachable('jit: lanes are discarded in a program without a mask');
  }

  write(operation: Operation): void {
    const { values } = this;
    const { position, instruction } = operation;
    if (values.needs.needed[position] === 0) return;
    const { op, results, args, imm } = instruction;
    if (values.words.computes(instruction)) {
      if (values.needs.inPlace[results[0]!] === 0 || op.startsWith('var.')) values.computeWord(instruction);
      return;
    }
    if (this.end && writesOutside(op) && !this.looked.has(operation.list)) {
      this.looked.add(operation.list);
      values.frame.writer.branchIf(values.frame.hasMissedPage, this.end);
    }
    switch (op) {
      case 'var.set':
        return values.setVariable(operation);
      case 'var.get':
        return values.keep(results[0]!, values.variable(imm));
      case 'output':
        return values.storeOutput(imm, values.masked(values.value(args[0]!), values.output(imm), operation));
      case 'array.store':
        return this.memory.store(operation);
      case 'array.load':
        return values.keep(results[0]!, this.memory.load(operation));
      case 'discard':
        return values.quad.kill(this.exec);
      case 'barrier':
        return unreachable('jit: a barrier of a program that was not cut into parts');
      case 'emit':
      case 'cut':
      case 'dispatch':
        return unreachable(`jit: ${op} that was not gathered`);
      case 'texture.sample':
      case 'texture.load':
        return this.sites.read(operation, values);
      case 'texture.dimensions':
        return this.memory.dimensions(instruction);
      case 'texture.loadSamples':
        return this.samples.load(operation);
      case 'surface.load':
        return this.surfaces.load(operation);
      case 'surface.store':
        return this.surfaces.store(operation);
      case 'image.load':
        return this.images.load(operation);
      case 'image.store':
        return this.images.store(operation);
      case 'lanes.permute':
      case 'lanes.shuffle':
      case 'lanes.ballot':
      case 'lanes.index':
        return writeAcrossLanes(values, operation);
      case 'storage.load':
        if (!this.loaded.has(operation) && !loadStrided(values, operation, this.loaded)) this.storage.load(operation);
        return;
      case 'storage.store':
        return this.storage.store(operation);
      case 'storage.storeHalf':
        return this.storage.storeHalf(operation);
      case 'buffer.load':
        if (this.loaded.has(operation) || loadRows(values, operation, this.loaded)) return;
        if (loadStrided(values, operation, this.loaded)) return;
        break;
      default:
        if (isAtomic(op)) return this.storage.atomic(operation);
        if (this.common.write(operation)) return;
    }
    if (values.needs.inPlace[results[0]!] === 0 && !values.isDone(results[0]!)) values.computeAndKeep(instruction);
  }
}
