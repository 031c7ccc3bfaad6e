// The counters of stages in a pass. Kernels increment those of vertex stages in their STAGE records. The warps of pixel
// stages are counted by number (assembly/layout/program/stage.ts).
import { CoarseStages, Draw, SampleSets, Stage } from '../../../build/layout';
import type { FragmentRate } from '../../ir';
import { labelled } from '../../base/printable';
import type { Words } from '../memory/words';
import type { Leaf, LeafPart, Pipeline } from '../pipeline/pipeline';
import type { StageProgram } from '../shaders/stage-program';

/** The counters of a STAGE record. */
const STAGE_COUNTS = [
  Stage.verticesIn,
  Stage.runs,
  Stage.primitivesIn,
  Stage.verticesOut,
  Stage.primitivesOut,
  Stage.dropped,
  Stage.workersLow,
  Stage.workersHigh,
];

/** A STAGE record with counters. `index`: the number of the vertex stage; null if assembled vertices are not shaded. */
interface CountedStage {
  readonly pipeline: Pipeline;
  readonly index: number | null;
  readonly record: number;
}

/** A part of a sink's fragment shader, and the rates of the stages that it runs. */
interface PixelStage {
  readonly leaf: Leaf;
  readonly stage: StageProgram;
  readonly rates: readonly FragmentRate[];
}
/** The first part of a shader runs the sample stages of the first sample set of each pixel. */
const ALL_RATES = ['coarse', 'pixel', 'sample'] as const;
const FINE_RATES = ['pixel', 'sample'] as const;
const COARSE_RATE = ['coarse'] as const;
const SAMPLE_RATE = ['sample'] as const;

export class StageCounters {
  /** Vertex stages of modular pipelines, or of all pipelines if stages are measured. */
  readonly vertex: CountedStage[] = [];
  /** Pixel stages that count their warps, if stages are measured. The index is Stage.counter − 1. */
  private readonly shading: PixelStage[] = [];

  constructor(private readonly words: Words) {}

  /** Number of pixel stages that count their warps. */
  get pixelStages(): number {
    return this.shading.length;
  }

  addVertexStage(stage: CountedStage): void {
    this.vertex.push(stage);
  }

  /** Counts the warps of all parts of a fragment shader. `record`: the DRAW record of its sink. */
  addPixelStages(leaf: Leaf, record: number): void {
    if (!leaf.fragment) return;
    this.countStage(leaf, leaf.fragment, record, ALL_RATES);
    this.countSecond(leaf, record, leaf.secondPart);
    const { u32 } = this.words.now();
    const stages = u32[(record + Draw.stages) >>> 2]!;
    if (!leaf.coarse || stages === 0) return;
    const pixels = u32[(stages + CoarseStages.pixels) >>> 2]!;
    const first = u32[(stages + CoarseStages.coarse) >>> 2]!;
    this.countStage(leaf, leaf.coarse.first.fragment, first, COARSE_RATE);
    this.countStage(leaf, leaf.coarse.pixels.fragment, pixels, FINE_RATES);
    this.countSecond(leaf, pixels, leaf.coarse.pixels.secondPart);
  }

  private countSecond(leaf: Leaf, record: number, second: LeafPart | null): void {
    if (!second) return;
    const { u32 } = this.words.now();
    const sets = u32[(record + Draw.sets) >>> 2]!;
    this.countStage(leaf, second.fragment, u32[(sets + SampleSets.secondPart) >>> 2]!, SAMPLE_RATE);
  }

  /** `record`: the DRAW record with this pixel stage. */
  private countStage(leaf: Leaf, stage: StageProgram, record: number, rates: PixelStage['rates']): void {
    const counter = this.shading.push({ leaf, stage, rates });
    this.words.now().u32[(record + Draw.fragment + Stage.counter) >>> 2] = counter;
  }

  /** Sets the counters of vertex stages to zero. */
  reset(): void {
    const { u32 } = this.words.now();
    for (const { record } of this.vertex) for (const field of STAGE_COUNTS) u32[(record + field) >>> 2] = 0;
  }

  /**
   * Adds the counters to pipelines and stages, at the end of the pass. `warpsOf`: warps of a pixel stage that each
   * worker has run, by its Stage.counter. Returns a message about the first stage that has emitted too many vertices,
   * or null.
   */
  collect(pass: string, warpsOf: (counter: number) => readonly number[]): string | null {
    const { u32 } = this.words.now();
    let message: string | null = null;
    for (const { pipeline, index, record } of this.vertex) {
      const of = (field: number): number => u32[(record + field) >>> 2]!;
      pipeline.countVertices(of(Stage.verticesIn));
      if (index === null) continue;
      const dropped = of(Stage.dropped);
      const stage = pipeline.geometry[index]!;
      const {
        program: { name },
        emission,
      } = stage;
      stage.warps += of(Stage.runs);
      if (!pipeline.hasStageCounters) continue;
      const counted = {
        runs: of(Stage.runs),
        primitivesIn: of(Stage.primitivesIn),
        verticesOut: of(Stage.verticesOut),
        primitivesOut: of(Stage.primitivesOut),
        dropped,
      };
      pipeline.count(index, counted, of(Stage.workersLow), of(Stage.workersHigh));
      if (dropped > 0 && emission)
        message ??=
          `${labelled('render pass', pass)}: entry point "${name}" of `
          + `${labelled('pipeline', pipeline.state.label)} emitted ${dropped} vertices more than its maxVertices `
          + `${emission.maxVertices} allows; they were dropped`;
    }
    this.shading.forEach(({ leaf, stage, rates }, index) => {
      warpsOf(index + 1).forEach((warps, worker) => {
        stage.warps += warps;
        for (const rate of rates) leaf.pixelRuns[rate] += warps;
        if (warps > 0) leaf.pixelRuns.workers.add(worker);
      });
    });
    return message;
  }
}
