// Errors of render passes whose shaders do not end in time. The messages name the shaders and draw calls.
import { STATUS_DONE, STATUS_TIMEOUT } from '../../../assembly/layout/status';
import { unreachable } from '../../base/assert';
import { DeviceLostError } from '../../base/errors';
import { labelled, plain } from '../../base/printable';
import { MAX_TIMEOUTS } from '../../schedule';
import type { Pipeline } from '../pipeline/pipeline';
import { fact } from '../shaders/program-facts';
import type { DrawState, PassState } from '../types';

/** Maximum number of shaders that a message names. */
const MOST_SUSPECTS = 4;

/** The states of the draw calls in order. */
const statesOf = ({ runs }: PassState): DrawState[] =>
  runs.flatMap(({ list, begin, end }) => Array.from({ length: end - begin }, (_, i) => list.stateOf(begin + i)));

/** "draw 0 with pipeline …", for messages. */
export function nameOfDraw(pass: PassState, draw: number): string {
  const { label } = statesOf(pass)[draw]!.pipeline.state;
  return `draw ${draw} with ${labelled('pipeline', label)} in ${labelled('render pass', pass.label)}`;
}

export function tooLong(pass: PassState, draw: number, timeoutMs: number): string {
  return (
    `${nameOfDraw(pass, draw)} has taken more than ${MAX_TIMEOUTS} times the ${timeoutMs} ms that a shader may `
    + 'run: do its stages emit too many primitives? (create({ timeoutMs }) sets the limit)'
  );
}

/** Names the shaders with loops and their draw calls. */
function suspects(pass: PassState, pipelines: Iterable<Pipeline>): string {
  const draws = statesOf(pass).map(({ pipeline }) => pipeline as Pipeline);
  const found = [...pipelines].flatMap((pipeline) =>
    pipeline.stages
      .filter(({ program }) => fact(program, 'hasLoop'))
      .map(
        ({ kind, program }) =>
          `the ${kind} shader "${plain(program.name)}" of ${labelled('pipeline', pipeline.state.label)} `
          + `(draw ${draws.indexOf(pipeline)})`
      )
  );
  return found.length === 0 ? 'a shader' : found.slice(0, MOST_SUSPECTS).join(' or ');
}

/** Throws a DeviceLostError if a shader has not ended in time. */
export function checkStatus(status: number, pass: PassState, pipelines: Iterable<Pipeline>, timeoutMs: number): void {
  if (status === STATUS_TIMEOUT) {
    throw new DeviceLostError(
      `${suspects(pass, pipelines)} in ${labelled('render pass', pass.label)} ran for more than ${timeoutMs} ms: `
        + 'does a loop never end? (create({ timeoutMs }) sets the limit)'
    );
  }
  if (status !== STATUS_DONE) unreachable(`render: kernel status ${status}`);
}
