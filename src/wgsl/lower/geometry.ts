// What ends a vertex and a strip of a geometry stage.

import { unreachable } from '../../base/assert';
import type { ValueId } from '../../ir';
import type { IrBuilder } from './builder';
import type { BuiltinArgument } from './builtin-rule';

/** Outputs are the leaves of what an entry point returns or emits, in their order. */
export function writeOutputs(builder: IrBuilder, values: readonly ValueId[]): void {
  values.forEach((value, index) => builder.effect('output', [value], index));
}

export function emitVertex(builder: IrBuilder, [vertex]: readonly BuiltinArgument[]): void {
  writeOutputs(builder, vertex?.kind === 'value' ? vertex.values : unreachable('lower: emitVertex of no value'));
  builder.effect('emit', []);
}
