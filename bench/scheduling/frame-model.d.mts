// Types for the tests, which are written in TypeScript.
export interface TraceInterval {
  readonly name: string;
  readonly cat: string;
  readonly ph: string;
  readonly tid: number;
  readonly ts: number;
  readonly dur: number;
}
export interface Phase {
  readonly name: string;
  readonly tasks: readonly number[];
}
export interface FrameModel {
  readonly phases: readonly Phase[];
  readonly serialMs: number;
}
export function phasesOf(events: readonly TraceInterval[]): readonly Phase[];
export function frameTime(frame: FrameModel, workers: number, slowdown?: number): number;
export function limitsOf(
  frame: FrameModel,
  workers: number
): readonly { readonly what: string; readonly share: number }[];
export function taskTime(events: readonly TraceInterval[]): number;
