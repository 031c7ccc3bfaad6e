// Describes the data flow along the edges of a pipeline's vertex stages for users: which scalars, and how many bytes.
import { NUMBER_LOCATION, RATE_LOCATION } from '../../ir';
import {
  edgeLayout,
  passesVerticesThrough,
  emittedBy,
  packetBefore,
  scalarsIn,
  writtenBy,
  type EdgeLayout,
  type IsWritten,
  type MapEntry,
  type Stage,
  type StageShader,
} from '../../mpipe';
import type { LinkedPipeline } from '../shaders/linker';
import { choosesDraw } from './vertex-stages';
import type { PipelineState, StageCounts, PipelineEdge, PipelineFlow } from '../types';

type Tree = LinkedPipeline<Stage>;

/**
 * Lists the edges from each stage to the next, or to a sink. `tree`: the stages as the application combined them.
 * `linked`: the same stages after linking.
 */
export function pipelineEdges({ tree, source }: PipelineState, linked: Tree): PipelineEdge[] {
  const edges: PipelineEdge[] = [];
  let number = 0;
  const walk = (
    programs: PipelineState['tree'],
    of: Tree,
    from: number | null,
    before: StageShader | null,
    packet: Tree | null
  ): void => {
    const isWritten: IsWritten | null = before ? writtenBy(before.program) : source;
    const siblings = packet ?? of;
    const shared = packetBefore(siblings);
    const [program] = programs.stages;
    const [stage] = of.stages;
    const add = (to: number | null, consumer: StageShader | null): void => {
      const map = edgeLayout(before?.program ?? null, isWritten, consumer, packetBefore(of), shared);
      edges.push({
        from,
        to,
        sink: to === null ? of.leaf!.state : null,
        map: ofLocations(map),
        bytesPerVertex: 4 * shared.places.length,
      });
    };
    if (stage && program) {
      const to = number++;
      add(to, program);
      walk(
        { ...programs, stages: programs.stages.slice(1) },
        { ...of, stages: of.stages.slice(1) },
        to,
        passesVerticesThrough(stage) ? before : program,
        null
      );
    } else if (of.leaf) add(null, of.leaf.state.kind === 'raster' ? of.leaf.state.output.fragment : null);
    else of.branches.forEach((branch, i) => walk(programs.branches[i]!, branch, from, before, of));
  };
  walk(tree, linked, null, null, null);
  return edges;
}

/** Removes built-in values, which have no location in the shader. */
function ofLocations(map: EdgeLayout): EdgeLayout {
  const { live, dropped, defaulted } = map;
  const isNamed = ({ location }: MapEntry): boolean => location !== RATE_LOCATION && location !== NUMBER_LOCATION;
  return { live: live.filter(isNamed), dropped: dropped.filter(isNamed), defaulted };
}

/** `vertices`: the number of assembled vertices. */
export function pipelineFlow(
  tree: Tree,
  counts: readonly (StageCounts & { readonly workers: ReadonlySet<number> })[],
  vertices: number
): Pick<PipelineFlow, 'stages' | 'bytesCopied'> {
  const stages: PipelineFlow['stages'][number][] = [];
  let bytesCopied = 0;
  /** `isTargetContents`: the vertices are already in memory. `isChosen`: a stage before has chosen viewports. */
  const walk = (
    { stages: own, branches, leaf, packet }: Tree,
    given: number,
    isTargetContents: boolean,
    isChosen: boolean
  ): void => {
    let verticesIn = given;
    let stored = isTargetContents;
    const chosen = isChosen || own.some(choosesDraw);
    own.forEach((stage, i) => {
      const counted = counts[stages.length]!;
      stages.push({ ...counted, verticesIn, workers: [...counted.workers] });
      // For a tessellation pair, the control stage stores the control points.
      if (stage.emission ?? stage.patch?.kind === 'control') {
        const { places } = packetBefore({ stages: own.slice(i), branches, leaf, packet });
        if (!stored) bytesCopied += 4 * places.length * verticesIn;
      }
      if (emittedBy([stage]).length > 0) verticesIn = counted.verticesOut;
      stored &&= passesVerticesThrough(stage);
    });
    if (leaf && (leaf.state.kind === 'buffer' || chosen) && !stored)
      bytesCopied += 4 * scalarsIn(packetBefore({ stages: [], branches, leaf, packet })) * verticesIn;
    if (packet && !stored) bytesCopied += 4 * scalarsIn(packet) * verticesIn;
    for (const branch of branches) walk(branch, verticesIn, true, chosen);
  };
  walk(tree, vertices, false, false);
  return { stages, bytesCopied };
}
