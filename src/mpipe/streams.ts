// Output streams of geometry stages. A stage may emit vertices to several streams, which lead to different stages and
// sinks. Each stream that something reads is a stage of its own: the shader with that stream's vertices alone, of which
// only what they need is computed.
import type { IrNode, IrProgram } from '../ir';
import type { StageShader } from './defaults';
import type { EmittedTopology } from './topology';

/** Number of streams of a geometry stage. */
export const MAX_STREAMS = 4;

/** The shaders of streams, by shader and number, so that pipelines share them. */
const known = new WeakMap<IrProgram, Map<number, IrProgram>>();

/** The stage that emits the vertices of one stream alone. */
export function ofStream({ program, ...shader }: StageShader, stream: number, topology: EmittedTopology): StageShader {
  let streams = known.get(program);
  if (!streams) known.set(program, (streams = new Map<number, IrProgram>()));
  let made = streams.get(stream);
  if (!made) {
    const body = only(program.body, stream);
    streams.set(stream, (made = hasOthers(program.body, stream) ? { ...program, body } : program));
  }
  return { ...shader, program: made, emission: shader.emission && { ...shader.emission, topology } };
}

const isOfOther = (node: IrNode, stream: number): boolean =>
  node.kind === 'op' && (node.op === 'emit' || node.op === 'cut') && node.imm !== stream;

function hasOthers(nodes: readonly IrNode[], stream: number): boolean {
  return nodes.some((node) => {
    if (node.kind === 'if') return hasOthers(node.then, stream) || hasOthers(node.otherwise, stream);
    if (node.kind === 'block' || node.kind === 'loop') return hasOthers(node.body, stream);
    return isOfOther(node, stream);
  });
}

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
