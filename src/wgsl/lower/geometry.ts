// Lowers the end of a vertex in a geometry stage, and the dispatch of results in a fragment stage.

import { unreachable } from '../../base/assert';
import { forEachInstruction, type IrNode, type ValueId } from '../../ir';
import type { BuiltinExpr, Expr } from '../hir';
import type { IrBuilder } from './builder';
import type { BuiltinArgument } from './builtin-rule';

/** Writes the outputs: the leaves of what an entry point returns or emits, in order. */
export function writeOutputs(builder: IrBuilder, values: readonly ValueId[]): void {
  values.forEach((value, index) => builder.effect('output', [value], index));
}

export function emitVertex(builder: IrBuilder, { args }: BuiltinExpr, [vertex]: readonly BuiltinArgument[]): void {
  writeOutputs(builder, vertex?.kind === 'value' ? vertex.values : unreachable('lower: emitVertex of no value'));
  builder.effect('emit', [], streamOf(args[1]));
}

export function endStrip(builder: IrBuilder, { args: [stream] }: BuiltinExpr): void {
  builder.effect('cut', [], streamOf(stream));
}

/** A bit for each stream of which a geometry program emits vertices or ends strips. */
export function streamsOf(body: readonly IrNode[]): number {
  let streams = 0;
  forEachInstruction(body, ({ op, imm }) => {
    if (op === 'emit' || op === 'cut') streams |= 1 << imm;
  });
  return streams;
}

/** The stream that a constant argument names. */
function streamOf(stream: Expr | undefined): number {
  if (stream === undefined) return 0;
  return stream.op === 'const' ? stream.data[0]! : unreachable('lower: a stream that is no constant');
}

export function dispatchSamples(builder: IrBuilder, [mask, results]: readonly BuiltinArgument[]): void {
  if (mask?.kind !== 'value' || results?.kind !== 'value') unreachable('lower: dispatchSamples of no value');
  else {
    writeOutputs(builder, results.values);
    builder.effect('dispatch', [mask.values[0]!]);
  }
}
