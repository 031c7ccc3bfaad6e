// Options for several pictures of each model: frames of an animation, and views around the model.
import { quoted } from '../../base/printable';
import { CommandError } from '../errors';

export const FRAME_OPTIONS = {
  frames: { type: 'string' },
  'frame-range': { type: 'string' },
  fps: { type: 'string' },
  turntable: { type: 'string' },
  loop: { type: 'string' },
} as const;

export interface FrameOptions {
  count: number;
  /** The first and the last frame that are drawn. */
  first: number;
  last: number;
  /** Seconds between two frames; 0: all show the same moment. */
  step: number;
  /** Degrees around the vertical axis between two frames; 0: all have the same view. */
  angle: number;
  /** Frames per second of an animated picture. */
  fps: number;
  /** How often an animated picture shows its frames; 0: for ever. */
  loop: number;
}

/** Frames per second without `--fps`. */
const DEFAULT_FPS = 24;
/** Maximum number of frames of a model. */
const MAX_FRAMES = 10_000;
/** Most repetitions in an animated picture, which are 16-bit numbers in WebP. */
const MAX_LOOPS = 65_535;
/** Fewest frames per second of an animated picture, whose delays are 16-bit numbers. */
const MIN_ANIMATED_FPS = 0.01;

type Values = Partial<Record<keyof typeof FRAME_OPTIONS | 'time' | 'animation' | 'camera', string>>;

/** @param isMotion whether the pass needs the next frame @throws CommandError */
export function parseFrames(values: Values, isMotion = false): FrameOptions | undefined {
  const { frames, turntable, fps, camera, loop } = values;
  if (frames !== undefined && turntable !== undefined)
    throw new CommandError('Give either --frames or --turntable, whose number is that of its views.');
  if (frames === undefined && turntable === undefined) {
    for (const option of ['loop', 'frame-range'] as const)
      if (values[option] !== undefined) throw new CommandError(`--${option} needs --frames or --turntable.`);
    if (fps !== undefined && !isMotion) throw new CommandError('--fps needs --frames, --turntable or --pass motion.');
    if (isMotion && values.time === undefined && values.animation === undefined)
      throw new CommandError('--pass motion needs --time, --animation, --frames or --turntable.');
    return undefined;
  }
  const rate = rateOf(fps);
  const shown = { fps: rate, loop: parseLoop(loop ?? '0') };
  const range = (count: number): Pick<FrameOptions, 'count' | 'first' | 'last'> => ({
    count,
    ...parseRange(values['frame-range'], count),
  });
  if (turntable === undefined) return { ...range(countOf(frames!, '--frames')), step: 1 / rate, angle: 0, ...shown };
  if (camera !== undefined && !camera.startsWith('orbit'))
    throw new CommandError(`--turntable needs a camera on an orbit, not ${quoted(camera)}.`);
  const count = countOf(turntable, '--turntable');
  // A turntable shows one moment unless --fps is given.
  return { ...range(count), step: fps === undefined ? 0 : 1 / rate, angle: 360 / count, ...shown };
}

/** Checks what only animated pictures have. @throws CommandError */
export function checkAnimated(isAnimated: boolean, frames: FrameOptions | undefined, { loop, fps }: Values): void {
  if (loop !== undefined && !isAnimated)
    throw new CommandError(
      '--loop is for an animated picture: an --output without {frame} that ends in .png or .webp.'
    );
  if (isAnimated && frames!.fps < MIN_ANIMATED_FPS)
    throw new CommandError(`--fps of an animated picture must be at least ${MIN_ANIMATED_FPS}, not ${quoted(fps!)}.`);
}

/** `A-B`: numbers of frames, from 0. @throws CommandError */
function parseRange(text: string | undefined, count: number): Pick<FrameOptions, 'first' | 'last'> {
  if (text === undefined) return { first: 0, last: count - 1 };
  const [, first, last] = (/^(\d{1,5})-(\d{1,5})$/.exec(text) ?? []).map(Number);
  if (!(first <= last && last < count))
    throw new CommandError(
      `--frame-range must be the first and the last frame, as in 0-${count - 1}, the range of all, not ${quoted(text)}.`
    );
  return { first, last };
}

function parseLoop(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > MAX_LOOPS)
    throw new CommandError(`--loop must be a whole number from 0 (for ever) to ${MAX_LOOPS}, not ${quoted(text)}.`);
  return Number(text);
}

/** Frames per second. @throws CommandError */
function rateOf(fps: string | undefined): number {
  const rate = fps === undefined ? DEFAULT_FPS : Number(fps);
  if (!(rate > 0 && rate <= 1000))
    throw new CommandError(`--fps must be a number above 0 and up to 1000, not ${quoted(fps!)}.`);
  return rate;
}

/** Seconds until the next frame of a single picture. @throws CommandError */
export const parseStep = ({ fps }: Values): number => 1 / rateOf(fps);

function countOf(text: string, option: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > MAX_FRAMES)
    throw new CommandError(`${option} must be a whole number from 1 to ${MAX_FRAMES}, not ${quoted(text)}.`);
  return Number(text);
}
