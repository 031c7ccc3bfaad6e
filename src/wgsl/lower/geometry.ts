// Lowers the end of a vertex in a geometry stage, and the dispatch of results in a fragment stage.

import { unreachable } from '../../base/assert';
import type { ValueId } from '../../ir';
import type { IrBuilder } from './builder';
import type { BuiltinArgument } from './builtin-rule';

/** Writes the outputs: the leaves of what an entry point returns or emits, in order. */
export function writeOutputs(builder: IrBuilder, values: readonly ValueId[]): void {
  values.forEach((value, index) => builder.effect('output', [value], index));
}

export function emitVertex(builder: IrBuilder, [vertex]: readonly BuiltinArgument[]): void {
  writeOutputs(builder, vertex?.kind === 'value' ? vertex.values : unreachable('lower: emitVertex of no value'));
  builder.effect('emit', []);
}

export function dispatchSamples(builder: IrBuilder, [mask, results]: readonly BuiltinArgument[]): void {
  if (mask?.kind !== 'value' || results?.kind !== 'value') unreachable('lower: dispatchSamples of no value');
  else {
    writeOutputs(builder, results.values);
    builder.effect('dispatch', [mask.values[0]!]);
  }
}
