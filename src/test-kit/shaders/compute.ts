// Runs compute entry points of a module under test.
import { bind, groupsOf, layoutsOf, variablesIn, type ShaderVariables } from './bindings';
import { STAGE, validated } from './device';
import type { Target } from './target';
import type { ShaderTexels } from './textures';
import type { ShaderValue } from './values';

/** Runs an entry point. @returns what it may have written, by the names of the variables */
export async function runCompute(
  target: Target,
  name: string,
  variables: ShaderVariables,
  workgroups: number | readonly number[]
): Promise<Record<string, ShaderValue | ShaderTexels>> {
  const declarations = await target.declarations();
  const { slots, assigned } = variablesIn(variables, declarations.variables);
  const [first] = assigned;
  if (first !== undefined)
    throw new TypeError(`wgsl: compute: ${first.name} is ${first.space}, and an entry point starts with its own value`);
  const device = await target.device();
  const [x = 1, y = 1, z = 1] = typeof workgroups === 'number' ? [workgroups] : workgroups;
  const { constants, code } = target;
  const bound = await validated(device, `wgsl: ${name} cannot run`, () => {
    const bindings = slots.map((slot) => bind(device, slot, variables[slot.name], `the variable ${slot.name}`));
    const layouts = layoutsOf(device, slots, STAGE.compute);
    const pipeline = device.createComputePipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
      compute: { module: device.createShaderModule({ code }), entryPoint: name, constants },
    });
    dispatch(device, pipeline, groupsOf(device, layouts, bindings), [x, y, z]);
    return bindings;
  }).catch((error: unknown) => {
    throw error instanceof TypeError ? error : target.explain(error);
  });
  const results: Record<string, ShaderValue | ShaderTexels> = {};
  for (const { slot, read, release } of bound) {
    if (read !== undefined) results[slot.name] = await read();
    release();
  }
  return results;
}

/** Runs workgroups of a pipeline. */
export function dispatch(
  device: GPUDevice,
  pipeline: GPUComputePipeline,
  groups: readonly GPUBindGroup[],
  [x, y, z]: readonly [number, number, number]
): void {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(pipeline);
  groups.forEach((group, i) => pass.setBindGroup(i, group));
  pass.dispatchWorkgroups(x, y, z);
  pass.end();
  device.queue.submit([encoder.finish()]);
}
