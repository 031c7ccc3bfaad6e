// Compares the kernel's execution of workgroups with its scalar twin: all memory is the same afterwards.
import { expect, test } from 'vitest';
import { REGISTER_BYTES } from '../../assembly/layout/limits';
import { STATUS_DONE } from '../../assembly/layout/status';
import { ComputeUnit, Dispatch, Resource, Statistics, Warp, WarpLanes } from '../../build/layout';
import { encodeBytecode } from '../../src/codegen';
import { cutAtBarriers, optimize } from '../../src/ir';
import { ComputePipeline } from '../../src/render/compute/compute-pipeline';
import type { StageProgram } from '../../src/render/shaders/stage-program';
import { WarpRunner } from '../codegen/warp';
import { lower } from '../lower/source';
import { kernelMath } from '../support/kernel-math';

const GROUPS = [3, 2, 2] as const;
const COUNT = 12;
const aligned = (bytes: number): number => Math.ceil(bytes / 64) * 64;

interface Left {
  readonly memory: Uint8Array;
  readonly counted: Uint32Array;
  readonly out: Uint8Array;
}

/** Returns all bytes after a run by `call`, its counters, and the contents of its buffer. */
function left(source: string, call: 'computeRun' | 'computeRunScalar', together: boolean): Left {
  const program = cutAtBarriers(optimize(lower(source), kernelMath), together);
  const encoded = encodeBytecode(program);
  const runner = new WarpRunner();
  const { kernel } = runner;
  const top = kernel.alloc(64);
  const address = runner.program(encoded);
  const stage = {
    program,
    memory: { address },
    registers: encoded.registers,
    compiled: null,
  } as unknown as StageProgram;
  const pipeline = new ComputePipeline({ label: '', program }, stage);
  const { packing, resourceBytes, dispatch: words } = pipeline.plan;
  const dispatch = kernel.alloc(Dispatch.bytes);
  const put =
    (record: number) =>
    (field: number, value: number): void => {
      kernel.u32(record + field, 1)[0] = value;
    };
  const resources = kernel.alloc(resourceBytes);
  const uniforms = kernel.alloc(4 * (encoded.uniforms + 1));
  const bytes = 4 * (COUNT * pipeline.invocations + 3);
  const buffer = kernel.alloc(bytes);
  program.resources.forEach(({ kind }, index) => {
    if (kind !== 'workgroup') kernel.u32(resources + index * Resource.bytes, 2).set([buffer, bytes]);
  });
  kernel.call.runPrologue!(address, resources, uniforms, kernel.alloc(Warp.bytes + encoded.registers * REGISTER_BYTES));
  const toDispatch = put(dispatch);
  kernel.u32(dispatch, words.length).set(words);
  toDispatch(Dispatch.uniforms, uniforms);
  toDispatch(Dispatch.resources, resources);
  const { groupsX, groupsY, groupsZ } = Dispatch;
  [groupsX, groupsY, groupsZ].forEach((field, k) => toDispatch(field, GROUPS[k]!));
  const fileAt = aligned(Warp.bytes);
  const lanesAt = fileAt + aligned(encoded.registers * REGISTER_BYTES);
  const warpBytes = aligned(lanesAt + WarpLanes.bytes);
  const unit = kernel.alloc(ComputeUnit.bytes);
  const toUnit = put(unit);
  const statistics = kernel.alloc(Statistics.bytes);
  for (const [field, value] of [
    [ComputeUnit.dispatch, dispatch],
    [ComputeUnit.statistics, statistics],
    [ComputeUnit.warpBytes, warpBytes],
    [ComputeUnit.warps, kernel.alloc(warpBytes * packing.warpsPerGroup)],
    [ComputeUnit.fileAt, fileAt],
    [ComputeUnit.lanesAt, lanesAt],
    [ComputeUnit.resources, kernel.alloc(resourceBytes)],
    [ComputeUnit.workgroup, kernel.alloc(Math.max(4, pipeline.workgroupBytes))],
  ] as const)
    toUnit(field, value);
  const end = kernel.alloc(0);
  kernel.call.computeBegin!(unit);
  // In two blocks, the second of which begins within a row.
  const first = Math.ceil(5 / packing.groupsPerWarp) * packing.groupsPerWarp;
  for (const [from, to] of [
    [0, Math.min(first, COUNT)],
    [Math.min(first, COUNT), COUNT],
  ] as const)
    if (to > from) expect(kernel.call[call]!(unit, from, to - from)).toBe(STATUS_DONE);
  return {
    memory: kernel.u8(top, end - top).slice(),
    out: kernel.u8(buffer, bytes).slice(),
    counted: kernel.u32(statistics, Statistics.bytes / 4).slice(),
  };
}

const OUT = '@group(0) @binding(0) var<storage, read_write> out: array<u32>;';
const program = (size: string, declared: string, body: string): string => `${OUT}
  ${declared}
  @compute @workgroup_size(${size}) fn main(
    @builtin(local_invocation_id) local: vec3u, @builtin(local_invocation_index) index: u32,
    @builtin(global_invocation_id) id: vec3u, @builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) all: vec3u
  ) {
    let invocations = arrayLength(&out) / ${COUNT}u;
    let at = ((group.z * all.y + group.y) * all.x + group.x) * invocations + index;
    ${body}
  }`;
const BUILTINS = 'out[at] += local.x * 3u + local.y * 5u + local.z * 7u + id.x * 11u + id.y * 13u + id.z * 17u + 1u;';

test.each(['1', '2', '3', '5, 2', '8, 4', '8, 8', '7, 5, 3', '100', '16, 16'])('workgroups of %s', (size) => {
  for (const source of [
    program(size, '', BUILTINS),
    program(
      size,
      'var<workgroup> near: array<u32, 7>;',
      `near[index % 7u] = 3u; ${BUILTINS} out[at] += near[index % 7u];`
    ),
    program(
      size,
      'var<workgroup> near: array<u32, 300>; var<workgroup> flag: u32;',
      `
      near[index] = id.x * 31u + index;
      for (var round = 0u; round < group.x + 2u; round++) {
        workgroupBarrier();
        let next = near[(index + 1u) % invocations];
        workgroupBarrier();
        for (var k = 0u; k < index % 3u; k++) { near[index] += next * k; }
        if (index == round % invocations) { flag = next; }
        if (workgroupUniformLoad(&flag) % 5u == 4u) { break; }
      }
      out[at] = near[index];`
    ),
  ]) {
    const [one, other] = [true, false].map((together) => {
      const simd = left(source, 'computeRun', together);
      const scalar = left(source, 'computeRunScalar', together);
      expect(scalar.memory).toEqual(simd.memory);
      expect(scalar.counted).toEqual(simd.counted);
      expect(simd.counted.some((count) => count === COUNT)).toBe(true);
      return simd;
    });
    // Together part by part, and lane by lane.
    expect(one!.out).toEqual(other!.out);
    expect(one!.counted).toEqual(other!.counted);
  }
});
