// A render pass as queue work: draws go through geometry in batches, tiles are run when the arena is full and at the end.
// A chunk ends at a point fixed by the commands and the arena's size, never by timing.
import * as P from '../../assembly/layout/pass';
import { CTX_BOUND_DRAW } from '../../assembly/layout/context';
import { GEOMETRY_REGISTERS } from '../../assembly/layout/geometry';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { STATUS_DONE, STATUS_NEEDS_MEMORY, STATUS_TIMEOUT, STATUS_YIELD } from '../../assembly/layout/status';
import { unreachable } from '../base/assert';
import type { Kernel } from '../kernels';
import { DrawRecords, type DrawCounts, type StateRecords } from './draw-records';
import { DeviceLostError } from '../base/lost';
import { writePass, type PassRecord } from './pass-record';
import type { CommandMemory } from './command-memory';
import type { IndexRanges } from './index-ranges';
import { recordDiscards, settleAttachments, settleResource } from './discarded';
import type { Pipeline } from './pipeline';
import type { DrawCommand, PassState, Work } from './types';

/** Geometry batches between two looks at the clock: well under a millisecond each. */
const BATCHES_PER_CALL = 4;

/** What passes of one device share. */
export interface PassContext {
  readonly kernel: Kernel;
  readonly memory: WebAssembly.Memory;
  readonly commands: CommandMemory;
  /** ARENA record. */
  readonly arena: number;
  /** Empties the arena, before a pass of this many tiles and after each of its chunks. */
  resetArena(tiles: number): void;
  readonly statistics: number;
  readonly geometry: number;
  readonly ranges: IndexRanges;
  /** A chunk after every draw, for tests. */
  readonly chunkEveryDraw: boolean;
  /** Address of scratch that holds a WARP record and `registers` registers. */
  scratch(registers: number): number;
  /** Address of a register file for this many registers. */
  registerFile(registers: number): number;
  tileContext(bytes: number): number;
  /** Starts the clock of one kernel call. */
  startClock(): void;
  readonly timeoutMs: number;
  passDone(): void;
}

type Phase = 'start' | 'draws' | 'chunk' | 'last' | 'done';

export class RenderPass implements Work {
  private phase: Phase = 'start';
  private pass: PassRecord | null = null;
  private records: DrawRecords | null = null;
  private shared: StateRecords | null = null;
  private tileContext = 0;
  /** Next draw to begin; `drawing` while one is under way. */
  private nextDraw = 0;
  private drawing = false;
  private nextTile = 0;
  /** Registers of each of the two files. */
  private registers = 1;

  constructor(private readonly context: PassContext, private readonly state: PassState) {}

  step(deadline: number): boolean {
    while (this.phase !== 'done') {
      if (this.phase === 'start') this.start();
      else if (this.phase === 'draws') this.advanceGeometry();
      else if (this.runNextTile()) this.endTiles();
      if (performance.now() >= deadline && (this.phase as Phase) !== 'done') return false;
    }
    return true;
  }

  private start(): void {
    const { context } = this;
    context.commands.reset();
    const pipelines = new Set(this.state.draws.map((draw) => draw.state.pipeline as Pipeline));
    for (const pipeline of pipelines) this.registers = Math.max(this.registers, pipeline.registers);
    for (const pipeline of pipelines) pipeline.changeOver(this.registers);
    const { registers } = this;
    // Two files: each side keeps its constants bound while the other runs.
    const geometryFile = context.registerFile(registers * 2);
    const pixelFile = geometryFile + registers * REGISTER_BYTES;
    const scratch = context.scratch(registers);
    this.settleTextures();
    const pass = this.pass = writePass(this.state, context);
    context.resetArena(pass.tiles);
    const { exports } = context.kernel;
    this.tileContext = context.tileContext(exports.tileContextBytes(pass.address));
    exports.tileContextInit(this.tileContext, pass.address, pixelFile);
    new Uint32Array(context.memory.buffer)[(context.geometry + GEOMETRY_REGISTERS) >>> 2] = geometryFile;
    this.records = new DrawRecords(context.memory, context.commands, context.ranges, (program, resources, block) => {
      this.call(() => exports.runPrologue(program, resources, block, scratch));
    });
    this.phase = this.state.draws.length ? 'draws' : 'last';
  }

  private settleTextures(): void {
    settleAttachments(this.context.memory, this.state);
    const groups = new Set(this.state.draws.flatMap((draw) => draw.state.groups.map((bound) => bound?.group)));
    for (const group of groups) for (const resource of group?.entries.values() ?? []) settleResource(this.context.memory, resource);
  }

  private advanceGeometry(): void {
    const { exports } = this.context.kernel;
    if (!this.drawing && !this.beginDraw()) return;
    const status = this.call(() => exports.geometryRun(this.context.geometry, BATCHES_PER_CALL));
    if (status === STATUS_YIELD) return;
    if (status === STATUS_NEEDS_MEMORY) {
      this.phase = 'chunk';
      return;
    }
    this.drawing = this.context.ranges.busy = false;
    if (this.context.chunkEveryDraw) this.phase = 'chunk';
  }

  /** Takes up the next draw. False when it draws nothing, or when none is left. */
  private beginDraw(): boolean {
    const command = this.state.draws[this.nextDraw];
    if (!command) {
      this.phase = 'last';
      return false;
    }
    this.nextDraw++;
    const counts = this.counts(command);
    if (counts.count === 0 || counts.instanceCount === 0) return false;
    this.changeOver(command.state.pipeline as Pipeline);
    if (this.shared?.state !== command.state) this.shared = this.records!.state(command.state);
    const record = this.records!.draw(this.shared, command, counts);
    this.context.kernel.exports.geometryBegin(this.context.geometry, this.pass!.address, record);
    this.drawing = this.context.ranges.busy = true;
    return true;
  }

  /**
   * A pipeline that was compiled meanwhile changes over before its next draw. Then no vertex of it is under way; and none of its fragments,
   * since tiles run to their ends between draws: only what the tile context still has bound is out of date.
   */
  private changeOver(pipeline: Pipeline): void {
    if (pipeline.changeOver(this.registers)) new Uint32Array(this.context.memory.buffer)[(this.tileContext + CTX_BOUND_DRAW) >>> 2] = 0;
  }

  /** Indirect draws whose numbers leave their buffers draw nothing, as WebGPU asks. */
  private counts(command: DrawCommand): DrawCounts {
    const { indirect } = command;
    if (!indirect) return command;
    const u32 = new Uint32Array(this.context.memory.buffer, indirect.buffer.address + indirect.offset, command.indexed ? 5 : 4);
    const [count, instanceCount, first] = [u32[0]!, u32[1]!, u32[2]!];
    const nothing: DrawCounts = { count: 0, instanceCount: 0, first: 0, baseVertex: 0, firstInstance: 0 };
    // The feature indirect-first-instance is not offered: another first instance makes the draw nothing (WebGPU §17.1.3).
    if (u32[command.indexed ? 4 : 3] !== 0) return nothing;
    if (!command.indexed) return { count, instanceCount, first, baseVertex: 0, firstInstance: 0 };
    const index = command.state.index;
    if (!index || (first + count) * index.bytes > index.size) return nothing;
    return { count, instanceCount, first, baseVertex: u32[3]! | 0, firstInstance: 0 };
  }

  /** True when no tile is left. Between chunks, tiles without a list are passed over. */
  private runNextTile(): boolean {
    const pass = this.pass!;
    const last = this.phase === 'last';
    if (this.nextTile >= pass.tiles) return true;
    const tile = this.nextTile;
    const listed = new Uint32Array(this.context.memory.buffer)[(pass.bins + tile * P.BIN_BYTES + P.BIN_HEAD) >>> 2] !== 0;
    const run = (): number => this.context.kernel.exports.tileRun(this.tileContext, pass.address, tile, last ? P.TILE_FLAG_LAST : 0);
    // A tile that yields goes on in the next call.
    if ((listed || last) && this.call(run) === STATUS_YIELD) return false;
    this.nextTile++;
    return this.nextTile >= pass.tiles;
  }

  private endTiles(): void {
    this.nextTile = 0;
    this.context.resetArena(this.pass!.tiles);
    new Uint32Array(this.context.memory.buffer)[(this.context.statistics + P.STAT_CHUNKS) >>> 2]! += 1;
    if (this.phase === 'last') {
      this.phase = 'done';
      recordDiscards(this.state);
      this.context.passDone();
    } else this.phase = 'draws';
  }

  /** Runs a kernel under the clock; a program that does not end loses the device. */
  private call(kernel: () => number): number {
    this.context.startClock();
    const status = kernel();
    if (status === STATUS_TIMEOUT) {
      throw new DeviceLostError(`a shader in render pass "${this.state.label}" ran for more than ${this.context.timeoutMs} ms: does a loop never end? (create({ timeoutMs }) sets the limit)`);
    }
    if (status !== STATUS_DONE && status !== STATUS_YIELD && status !== STATUS_NEEDS_MEMORY) unreachable(`render: kernel status ${status}`);
    return status;
  }
}
