// Writes the SHADING RATES records of a pass. Draw calls with equal settings share a record.
import {
  combine,
  ratesRecord,
  type DepthTable,
  type RateFallback,
  type RegionRates,
  type ShadingRate,
} from '../../shading-rate';
import type { CommandMemory } from '../memory/command-memory';
import type { Leaf, Pipeline } from '../pipeline/pipeline';
import type { DynamicState, PassRates, PassState } from '../types';
import type { View } from '../resources/views';

/** The sources that are combined into a draw call's rate: the index of a varying or -1, and the sources of the pass. */
interface Sources {
  readonly primitive: number;
  readonly region: PassRates['region'];
  readonly tables: PassRates['depth'];
}

/** A source that its combiner ignores counts as missing. */
function sourcesOf(rates: PassRates | null, { combiners }: DynamicState, primitive: number): Sources {
  return {
    primitive: combiners.primitive === 'keep' ? -1 : primitive,
    region: rates === null || combiners.region === 'keep' ? null : rates.region,
    tables: rates === null || combiners.depth === 'keep' ? [] : rates.depth,
  };
}

/** Whether anything may make draw calls coarser than 1×1. */
const isCoarse = (rate: ShadingRate, { primitive, region, tables }: Sources): boolean =>
  rate !== '1x1' || primitive >= 0 || region !== null || tables.length > 0;

/** Whether a draw call of the pass may have a SHADING RATES record. */
export function hasRates({ rates, runs }: PassState, pipelines: Iterable<Pipeline>): boolean {
  let primitive = -1;
  let runsCoarse = false;
  for (const { leaves } of pipelines)
    for (const leaf of leaves) {
      if (leaf.fragment === null || leaf.rateFallback !== null) continue;
      runsCoarse = true;
      if (saysRates(leaf)) primitive = 0;
    }
  return runsCoarse && runs.some(({ dynamic }) => isCoarse(dynamic.rate, sourcesOf(rates, dynamic, primitive)));
}

const saysRates = ({ hasRates, primitiveRate }: Leaf): boolean => hasRates || primitiveRate >= 0;

export class RateRecords {
  /** Addresses by everything that a record depends on. */
  private readonly records = new Map<string, number>();

  /** `onRateFallback` is called for draw calls that request shading rates but whose shader runs at 1×1. */
  constructor(
    private readonly memory: WebAssembly.Memory,
    private readonly commands: CommandMemory,
    private readonly rates: PassRates | null,
    private readonly onRateFallback: (cause: RateFallback) => void
  ) {}

  /**
   * Address of the record for draw calls in viewport number `viewport`; 0 if they run at 1×1. `primitiveRate`: the rate
   * that a stage chooses for primitives, which replaces the provoking vertex's; null if none does.
   */
  of(leaf: Leaf, dynamic: DynamicState, viewport: number, primitiveRate: ShadingRate | null): number {
    // A fast path for most draw calls.
    if (this.rates === null && dynamic.rate === '1x1' && !saysRates(leaf)) return 0;
    if (leaf.fragment === null || leaf.rateFallback !== null) return 0;
    const { combiners } = dynamic;
    const isStated = primitiveRate !== null;
    const rate = isStated ? combine(combiners.primitive, dynamic.rate, primitiveRate) : dynamic.rate;
    const sources = sourcesOf(this.rates, dynamic, isStated ? -1 : leaf.primitiveRate);
    if (!isCoarse(rate, sources)) return 0;
    const { primitive, region, tables } = sources;
    const table = tables.length > 1 ? viewport : 0;
    const key = [
      rate,
      primitive,
      region !== null,
      tables.length > 0 ? table : -1,
      combiners.primitive,
      combiners.region,
      combiners.depth,
    ].join(' ');
    const known = this.records.get(key);
    if (known !== undefined) return known;
    const record = this.write(rate, combiners, primitive, region, tables[table] ?? null);
    this.records.set(key, record);
    return record;
  }

  /** Counts a draw call if it requests shading rates but its shader runs at 1×1. */
  note(leaf: Leaf, dynamic: DynamicState): void {
    if (leaf.fragment === null || leaf.rateFallback === null) return;
    const primitive = leaf.hasRates ? 0 : leaf.primitiveRate;
    if (isCoarse(dynamic.rate, sourcesOf(this.rates, dynamic, primitive))) this.onRateFallback(leaf.rateFallback);
  }

  private write(
    rate: ShadingRate,
    combiners: DynamicState['combiners'],
    primitive: number,
    region: PassRates['region'],
    depth: DepthTable | null
  ): number {
    const record = ratesRecord({ rate, combiners, primitive, depth, region: region && regionOf(region) });
    const address = this.commands.take(record.length);
    new Uint8Array(this.memory.buffer).set(record, address);
    return address;
  }
}

/** The region texture with its current address. */
function regionOf({ view, blockSize }: NonNullable<PassRates['region']>): RegionRates {
  const { plane, level } = view as View;
  return { blockSize, address: (view as View).attachmentAddress(plane, 0), rowBytes: level.rowBytes };
}
