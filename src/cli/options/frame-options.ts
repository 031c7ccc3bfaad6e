// Options for several pictures of each model: frames of an animation, and views around the model.
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';

export const FRAME_OPTIONS = {
  frames: { type: 'string' },
  fps: { type: 'string' },
  turntable: { type: 'string' },
} as const;

export interface FrameOptions {
  count: number;
  /** Seconds between two frames; 0: all show the same moment. */
  step: number;
  /** Degrees around the vertical axis between two frames; 0: all have the same view. */
  angle: number;
}

/** Maximum number of frames of a model. */
const MAX_FRAMES = 10_000;
const DEFAULT_FPS = 24;

type Values = Partial<Record<keyof typeof FRAME_OPTIONS | 'time' | 'animation' | 'camera', string>>;

/** @throws CommandError */
export function parseFrames(values: Values): FrameOptions | undefined {
  const { frames, turntable, fps, camera } = values;
  if (frames !== undefined && turntable !== undefined)
    throw new CommandError('Give either --frames or --turntable, whose number is that of its views.');
  if (frames === undefined && turntable === undefined) {
    if (fps !== undefined) throw new CommandError('--fps needs --frames or --turntable.');
    return undefined;
  }
  const rate = fps === undefined ? DEFAULT_FPS : Number(fps);
  if (!(rate > 0 && rate <= 1000))
    throw new CommandError(`--fps must be a number above 0 and up to 1000, not ${quoted(fps!)}.`);
  if (turntable === undefined) return { count: countOf(frames!, '--frames'), step: 1 / rate, angle: 0 };
  if (camera !== undefined && !camera.startsWith('orbit'))
    throw new CommandError(`--turntable needs a camera on an orbit, not ${quoted(camera)}.`);
  const count = countOf(turntable, '--turntable');
  // Beside the views, time passes only if that is asked for.
  return { count, step: fps === undefined ? 0 : 1 / rate, angle: 360 / count };
}

function countOf(text: string, option: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > MAX_FRAMES)
    throw new CommandError(`${option} must be a whole number from 1 to ${MAX_FRAMES}, not ${quoted(text)}.`);
  return Number(text);
}
