// Output streams of geometry stages. A stage may emit vertices to several streams, which lead to different stages and
// sinks. Each stream that something reads is a stage of its own: the shader with that stream's vertices alone. Only
// what these need is computed.
import type { IrNode, IrProgram } from '../ir';
import type { StageShader } from './defaults';
import type { EmittedTopology } from './topology';

/** Number of streams of a geometry stage. */
export const MAX_STREAMS = 4;

/** The shaders of streams, by shader and number, so that pipelines share them. */
const known = new WeakMap<IrProgram, Map<number, IrProgram>>();

/** The stage that emits the vertices of one stream alone. */
export function ofStream({ program, ...shader }: StageShader, stream: number, topology: EmittedTopology): StageShader {
  const emission = shader.emission && { ...shader.emission, topology };
  const { streams = 1 } = program;
  if ((streams & ~(1 << stream)) === 0) return { ...shader, program, emission };
  let made = known.get(program);
  if (!made) known.set(program, (made = new Map<number, IrProgram>()));
  let own = made.get(stream);
  if (!own) made.set(stream, (own = { ...program, body: only(program.body, stream) }));
  return { ...shader, program: own, emission };
}

const isOfOther = (node: IrNode, stream: number): boolean =>
  node.kind === 'op' && (node.op === 'emit' || node.op === 'cut') && node.imm !== stream;

/** The nodes without the vertices of other streams. The outputs of a vertex come right before it. */
function only(nodes: readonly IrNode[], stream: number): IrNode[] {
  const kept: IrNode[] = [];
  for (const node of nodes) {
    if (node.kind === 'if')
      kept.push({ ...node, then: only(node.then, stream), otherwise: only(node.otherwise, stream) });
    else if (node.kind === 'block' || node.kind === 'loop') kept.push({ ...node, body: only(node.body, stream) });
    else if (!isOfOther(node, stream)) kept.push(node);
    else if (node.kind === 'op' && node.op === 'emit')
      for (let last = kept.at(-1); last?.kind === 'op' && last.op === 'output'; last = kept.at(-1)) kept.pop();
  }
  return kept;
}
