// A compute pipeline in device memory. It has one stage, whose shader is split at its barriers, and a plan with the
// parts of a DISPATCH record that depend on the pipeline alone.
import { REGISTER_BYTES, WARP_QUADS } from '../../../assembly/layout/limits';
import { ComputeStep, Dispatch, Resource } from '../../../build/layout';
import { atomicCodes } from '../../codegen/atomics';
import { invocationsOf, sharesWarps } from '../../ir';
import { placeInUnit } from './compute-space';
import { fact } from '../shaders/program-facts';
import type { StageProgram } from '../shaders/stage-program';
import type { ComputePipelineState, ComputePipelineStore } from '../types';

const LOCAL_FIELDS = [Dispatch.localX, Dispatch.localY, Dispatch.localZ];
const GLOBAL_FIELDS = [Dispatch.globalX, Dispatch.globalY, Dispatch.globalZ];
const GROUP_FIELDS = [Dispatch.groupX, Dispatch.groupY, Dispatch.groupZ];
const COUNT_FIELDS = [Dispatch.countX, Dispatch.countY, Dispatch.countZ];
const COMPONENT_FIELDS: Readonly<Record<string, readonly number[]>> = {
  local_invocation_id: LOCAL_FIELDS,
  global_invocation_id: GLOBAL_FIELDS,
  workgroup_id: GROUP_FIELDS,
  num_workgroups: COUNT_FIELDS,
};
const SINGLE_FIELDS: Readonly<Record<string, number>> = {
  local_invocation_index: Dispatch.localIndex,
  part: Dispatch.part,
};

/** How workgroups are packed into warps. */
interface Packing {
  readonly quadsPerWarp: number;
  readonly warpsPerGroup: number;
  readonly groupsPerWarp: number;
  /** Lanes from the start of one workgroup in a warp to the start of the next. */
  readonly groupLanes: number;
}

/** The parts of a dispatch's records that do not depend on bindings or on the number of workgroups. */
export interface DispatchPlan {
  readonly packing: Packing;
  /** Words of the DISPATCH and COMPUTE STEP records. */
  readonly dispatch: Uint32Array;
  readonly step: Uint32Array;
  readonly resourceBytes: number;
  /** Bytes that the dispatch needs in each worker's COMPUTE UNIT. */
  readonly unitBytes: number;
}

export class ComputePipeline implements ComputePipelineStore {
  readonly stages: readonly StageProgram[];
  readonly invocations: number;
  /** Rough cost of an invocation, in operations. */
  readonly cost: number;
  /** Whether the order of workgroups can be observed in the shader's results. */
  readonly isSerial: boolean;
  readonly workgroupBytes: number;
  /** Index of the workgroup memory in the resource table; −1 if there is none. */
  readonly workgroupEntry: number;
  /**
   * Whether the order of invocations can be observed, also within a workgroup. Quads must then run one after the other.
   */
  private readonly isOrdered: boolean;
  private readonly readsOtherLanes: boolean;
  /** From combinableBuffers(): ATOMIC_* by resource table entry. */
  readonly gathered: ReadonlyMap<number, number>;
  readonly readsTextures: boolean;
  /** Whether a dispatch can have any effect: it writes or counts something, or it may never end. */
  readonly hasEffects: boolean;
  private alive = true;
  /** The plan for the functions that warps currently run in. */
  private planned: { readonly compiled: object | null; readonly plan: DispatchPlan } | null = null;

  /** Index of a worker's counters in the resource table; −1 if there are none. */
  private readonly countersEntry: number;

  constructor(
    readonly state: ComputePipelineState,
    readonly stage: StageProgram
  ) {
    this.stages = [stage];
    const { program } = stage;
    this.invocations = invocationsOf(program);
    const mayLoop = fact(program, 'hasLoop') || program.parts !== undefined;
    this.cost = fact(program, 'nodes') * (mayLoop ? LOOP_COST : 1);
    this.readsOtherLanes = fact(program, 'readsOtherLanes');
    this.isOrdered = fact(program, 'ordersInvocations');
    this.isSerial = fact(program, 'ordersWorkgroups');
    this.workgroupEntry = program.resources.findIndex(({ kind }) => kind === 'workgroup');
    this.countersEntry = program.resources.findIndex(({ kind }) => kind === 'counters');
    this.hasEffects = this.countersEntry >= 0 || fact(state.program, 'changesOrStays');
    this.gathered = new Map([...fact(program, 'combinableBuffers')].map(([entry, op]) => [entry, atomicCodes[op]!]));
    const memory = program.resources[this.workgroupEntry];
    this.workgroupBytes = memory?.kind === 'workgroup' ? memory.size : 0;
    this.readsTextures = program.resources.some(({ kind }) => kind === 'texture');
  }

  /**
   * Maximum number of operations that a warp runs; Infinity if a loop has no constant bound. This uses the original
   * shader, because splitting at barriers hides the loops around them.
   */
  get maxOperations(): number {
    return fact(this.state.program, 'maxOperations');
  }

  /** Maximum number of warps for this many workgroups. */
  warpsOf(groups: number): number {
    return groups * Math.ceil(this.invocations / (4 * WARP_QUADS));
  }

  get isAlive(): boolean {
    return this.alive;
  }
  get isSettled(): boolean {
    return this.stage.isSettled;
  }
  get compiled(): readonly object[] {
    return this.stage.compiled ? [this.stage.compiled] : [];
  }
  get bytes(): number {
    return this.stage.bytes;
  }

  /** The plan for the way in which warps run at present. */
  get plan(): DispatchPlan {
    const { compiled } = this.stage;
    if (this.planned?.compiled !== compiled) this.planned = { compiled, plan: this.makePlan(compiled === null) };
    return this.planned!.plan;
  }

  /** `interprets`: the interpreter runs the warps, one instruction at a time for all of their quads. */
  private makePlan(interprets: boolean): DispatchPlan {
    const packing = this.packing(interprets);
    const { fileBytes, workgroupBytes } = this;
    const resourceBytes = Math.max(1, this.stage.program.resources.length) * Resource.bytes;
    const dispatch = new Uint32Array(Dispatch.bytes / 4);
    const step = new Uint32Array(ComputeStep.bytes / 4);
    this.put((field, value) => {
      dispatch[field / 4] = value;
    });
    dispatch[Dispatch.resourceBytes / 4] = resourceBytes;
    for (const [field, value] of Object.entries(packing)) dispatch[Dispatch[field as keyof Packing] / 4] = value;
    step[ComputeStep.groupsPerWarp / 4] = packing.groupsPerWarp;
    const shape = { warps: packing.warpsPerGroup, fileBytes, resourceBytes, workgroupBytes };
    const unitBytes = placeInUnit(shape, (field, value) => {
      step[field / 4] = value;
    });
    return { packing, dispatch, step, resourceBytes, unitBytes };
  }

  private packing(interprets: boolean): Packing {
    const { invocations } = this;
    const quadsPerWarp = interprets && this.isOrdered ? 1 : WARP_QUADS;
    // Workgroups of one, two or four lanes fill quads evenly, so they have the same layout in warps of any size.
    const groupLanes = invocations < 3 && !this.readsOtherLanes ? invocations : 4 * Math.ceil(invocations / 4);
    const groupsPerWarp = sharesWarps(this.stage.program) ? Math.floor((4 * quadsPerWarp) / groupLanes) : 1;
    return groupsPerWarp > 1
      ? { quadsPerWarp, warpsPerGroup: 1, groupsPerWarp, groupLanes }
      : { quadsPerWarp, warpsPerGroup: Math.ceil(invocations / (4 * quadsPerWarp)), groupsPerWarp: 1, groupLanes };
  }

  /** Writes the DISPATCH fields that follow from the shader. */
  private put(put: (field: number, value: number) => void): void {
    const { program } = this.stage;
    const [x, y, z] = program.workgroupSize!;
    put(Dispatch.program, this.stage.memory.address);
    put(Dispatch.workgroupEntry, this.workgroupEntry);
    put(Dispatch.workgroupBytes, this.workgroupBytes);
    put(Dispatch.countersEntry, this.countersEntry);
    put(Dispatch.sizeX, x);
    put(Dispatch.sizeY, y);
    put(Dispatch.sizeZ, z);
    put(Dispatch.invocations, this.invocations);
    for (const field of [...Object.values(COMPONENT_FIELDS).flat(), ...Object.values(SINGLE_FIELDS)]) put(field, -1);
    program.inputs.forEach((input, register) => {
      if (input.kind !== 'builtin') return;
      const field =
        'component' in input ? COMPONENT_FIELDS[input.builtin]![input.component]! : SINGLE_FIELDS[input.builtin]!;
      put(field, register);
    });
    const first = program.inputs.length + program.outputs.length;
    put(Dispatch.parts, program.parts ?? 0);
    put(Dispatch.together, program.partsInLockstep ? 1 : 0);
    put(Dispatch.nextPart, first);
    put(Dispatch.keptFirst, first);
    put(Dispatch.keptCount, fact(program, 'keptRegisters'));
  }

  /** Bytes of a warp's register file. */
  private get fileBytes(): number {
    return this.stage.registers * REGISTER_BYTES;
  }

  destroy(): void {
    if (!this.alive) return;
    this.alive = false;
    this.stage.release();
  }
}

/** Assumed number of iterations of a loop. */
const LOOP_COST = 30;
