// The analyses of a program that its code is written from.

import { findLanes, findQuadUniform, type IrProgram, type Lanes, type QuadUniform, type ValueId } from '../../../ir';
import { findControl, type Control, type Loop } from '../../control';
import type { EncodedProgram } from '../../encode';
import type { Inlines } from '../../wasm/inlines';
import { findLoopConstants, findNeeds, type Needs } from './needs';
import { findScalars, type Scalars } from '../scalars';

interface Stage {
  readonly program: IrProgram;
  readonly encoded: EncodedProgram;
}

/** Analysis results that are available before a program's code is written. */
export interface Facts {
  readonly program: IrProgram;
  readonly quadUniform: QuadUniform;
  readonly control: Control;
  readonly needs: Needs;
  readonly lanes: Lanes;
  readonly scalars: Scalars;
  readonly loopConstants: ReadonlyMap<Loop, readonly ValueId[]>;
  /** By value: its word in the draw call's uniform block; −1 if it has none. */
  readonly uniformWords: Int32Array;
  readonly firstOutput: number;
}

/** Facts.uniformWords of a whole program. */
export function uniformWordsOf({ program, encoded }: Stage): Int32Array {
  const uniformWords = new Int32Array(program.values.length).fill(-1);
  encoded.uniformValues.forEach((id, index) => {
    uniformWords[id] = encoded.constants.length + index;
  });
  return uniformWords;
}

/** `width`: number of quads that run together. */
export function findFacts(program: IrProgram, uniformWords: Int32Array, inlines: Inlines, width: 1 | 2): Facts {
  const quadUniform = findQuadUniform(program, width === 2 ? 8 : 4);
  const control = findControl(program, quadUniform.values);
  const needs = findNeeds(control, uniformWords, inlines.hasCommon);
  const lanes = findLanes(program, quadUniform);
  const scalars = findScalars({ program, quadUniform, control, needs, given: uniformWords, width });
  const loopConstants: Facts['loopConstants'] =
    program.kind === 'compute' ? findLoopConstants(control, needs) : new Map();
  return {
    program,
    quadUniform,
    control,
    needs,
    lanes,
    scalars,
    loopConstants,
    uniformWords,
    firstOutput: program.inputs.length,
  };
}
