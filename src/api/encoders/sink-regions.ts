// Regions of buffers to which the draw calls of a pass write vertices and counts.
import type { Fail } from '../core/device-core';
import type { BoundSink } from '../../render/types';
import type { BufferCore } from '../resources/buffer';

/** Size of the counts in bytes: the arguments of an indirect draw call (vertices, 1, 0, 0). */
export const COUNTS_BYTES = 16;
/** Size of the number of vertices without room. */
export const MISSED_BYTES = 4;

/** A buffer that is set for a sink, and the bytes that draw calls may have written to it so far. */
export interface SinkBinding {
  readonly buffer: BufferCore;
  readonly counts: BufferCore | null;
  readonly bound: BoundSink;
  usedBytes: number;
}

interface Region {
  readonly what: string;
  readonly sink: SinkBinding;
  readonly buffer: BufferCore;
  readonly begin: number;
  readonly end: number;
}

function regionsOf(number: number, sink: SinkBinding): readonly Region[] {
  const { buffer, counts, bound } = sink;
  const vertices = { what: `sinks[${number}]`, sink, buffer, begin: bound.offset, end: bound.offset + bound.size };
  if (!counts || !bound.counts) return [vertices];
  const { offset, missed } = bound.counts;
  const of = (what: string, begin: number, bytes: number): Region => ({
    what: `${what} of sinks[${number}]`,
    sink,
    buffer: counts,
    begin,
    end: begin + bytes,
  });
  return [
    vertices,
    of('the counts', offset, COUNTS_BYTES),
    ...(missed === null ? [] : [of('the number of missed vertices', missed, MISSED_BYTES)]),
  ];
}

/** A region, and the number of regions that were taken before it. */
interface NumberedRegion {
  readonly region: Region;
  readonly number: number;
}

const inOrder = (a: NumberedRegion, b: NumberedRegion): number =>
  a.region.begin - b.region.begin || a.region.end - b.region.end;

/**
 * Disjoint regions of one buffer. They are kept in sorted lists. Each list is longer than all lists after it, so that n
 * regions are taken in about n·log n steps.
 */
class Regions {
  readonly #lists: NumberedRegion[][] = [];

  /** Returns the number of the earliest region that overlaps this one. */
  findOverlap({ begin, end }: Region): number | undefined {
    let first: number | undefined;
    for (const list of this.#lists) {
      let low = 0;
      let high = list.length;
      while (low < high) {
        const middle = (low + high) >>> 1;
        if (list[middle]!.region.end > begin) high = middle;
        else low = middle + 1;
      }
      for (; low < list.length && list[low]!.region.begin < end; low++)
        first = Math.min(first ?? Infinity, list[low]!.number);
    }
    return first;
  }

  take(taken: NumberedRegion): void {
    let list = [taken];
    while (this.#lists.length > 0 && this.#lists.at(-1)!.length <= list.length)
      list = [...this.#lists.pop()!, ...list].sort(inOrder);
    this.#lists.push(list);
  }
}

/**
 * The regions of a pass or bundle. Draw calls must not write to the same bytes, unless they share a setSinkBuffer()
 * call.
 */
export class SinkRegions {
  readonly #sinks = new Set<SinkBinding>();
  /** In the order in which they were taken. */
  readonly #regions: Region[] = [];
  readonly #ofBuffers = new Map<BufferCore, Regions>();

  /** Takes the sinks of a draw call, by sink number. */
  take(sinks: readonly (readonly [number: number, SinkBinding])[], no: Fail): void {
    this.#add(
      sinks.flatMap(([number, sink]) => regionsOf(number, sink)),
      no
    );
  }

  /** Takes the regions of a bundle. */
  claimAll(bundle: SinkRegions, no: Fail): void {
    this.#add(bundle.#regions, no);
  }

  #add(wanted: readonly Region[], no: Fail): void {
    const earlier = this.#regions.length;
    const added = wanted.filter(({ sink }) => !this.#sinks.has(sink));
    for (const region of added) {
      const regions = this.#of(region.buffer);
      const number = regions.findOverlap(region);
      if (number !== undefined) {
        const who = this.#regions[number]!.what + (number < earlier ? ' of an earlier draw' : '');
        no(
          `${who} and ${region.what} are overlapping parts of ${region.buffer.called}; `
            + 'give setSinkBuffer() parts that do not overlap'
        );
      }
      regions.take({ region, number: this.#regions.push(region) - 1 });
    }
    for (const { sink } of added) this.#sinks.add(sink);
  }

  #of(buffer: BufferCore): Regions {
    let regions = this.#ofBuffers.get(buffer);
    if (regions === undefined) this.#ofBuffers.set(buffer, (regions = new Regions()));
    return regions;
  }
}
