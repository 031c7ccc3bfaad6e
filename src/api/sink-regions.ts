// The parts of buffers that the draws of a pass write vertices and counts to.
import type { BoundSink } from '../render/types';
import type { BufferCore } from './buffer';

/** Vertices, 1, 0, 0: the arguments of an indirect draw. */
export const COUNTS_BYTES = 16;

/** A buffer that is set for a sink, and the bytes that draws may have taken of it so far. */
export interface SetSink {
  readonly buffer: BufferCore;
  readonly counts: BufferCore | null;
  readonly bound: BoundSink;
  taken: number;
}

interface Region {
  readonly what: string;
  readonly sink: SetSink;
  readonly buffer: BufferCore;
  readonly begin: number;
  readonly end: number;
}

function regionsOf(number: number, sink: SetSink): readonly Region[] {
  const { buffer, counts, bound } = sink;
  return [
    { what: `sinks[${number}]`, sink, buffer, begin: bound.offset, end: bound.offset + bound.size },
    ...(counts && bound.counts ? [{
      what: `the counts of sinks[${number}]`, sink, buffer: counts, begin: bound.counts.offset,
      end: bound.counts.offset + COUNTS_BYTES,
    }] : []),
  ];
}

/** The regions of a pass or a bundle. No draw may write where another does, unless both share a setSinkBuffer(). */
export class SinkRegions {
  readonly #sinks = new Set<SetSink>();
  readonly #regions: Region[] = [];

  /** Takes the sinks of a draw, by number. */
  take(sinks: readonly (readonly [number: number, SetSink])[], no: (message: string) => never): void {
    this.#add(sinks.flatMap(([number, sink]) => regionsOf(number, sink)), no);
  }

  /** Takes those of a bundle. */
  takeAll(bundle: SinkRegions, no: (message: string) => never): void {
    this.#add(bundle.#regions, no);
  }

  #add(wanted: readonly Region[], no: (message: string) => never): void {
    const added = wanted.filter(({ sink }) => !this.#sinks.has(sink));
    for (const [i, a] of added.entries()) {
      const overlaps = ({ buffer, begin, end }: Region): boolean =>
        buffer === a.buffer && begin < a.end && a.begin < end;
      const earlier = this.#regions.find(overlaps), b = earlier ?? added.slice(0, i).find(overlaps);
      if (!b) continue;
      const who = earlier ? `${b.what} of an earlier draw` : b.what;
      no(`${who} and ${a.what} are overlapping parts of ${a.buffer.called}; give setSinkBuffer() parts that do not overlap`);
    }
    this.#regions.push(...added);
    for (const { sink } of added) this.#sinks.add(sink);
  }
}
