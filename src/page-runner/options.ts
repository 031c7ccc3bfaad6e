// Options of runPage.
import type { PageAction, PageOrder } from './order';

/** Options of `runPage`. */
export interface RunPageOptions {
  /** Frames whose pictures are taken, from 1 on. Frame n is drawn at n / 60 s of virtual time. Default: `[1]`. */
  readonly frames?: readonly number[];
  /** Size of the window in pixels. Default: 1280×720. */
  readonly width?: number;
  readonly height?: number;
  /** Folder whose files the page can load; the root of its URLs. Default: the folder of the page. */
  readonly root?: string;
  /** CSS selector of the canvas. Default: the largest canvas of WebGPU, or else of a 2D context. */
  readonly canvas?: string;
  /** Clicks, keys and scripts, sent in this order one frame before the last picture. Default: none. */
  readonly actions?: readonly PageAction[];
  /** Seed of `Math.random`, an integer of 32 bits. Default: 1. */
  readonly seed?: number;
  /** Whether the page may load from the network. Default: false. */
  readonly network?: boolean;
  /** Real time in milliseconds after which the page is stopped. Default: 60,000. */
  readonly timeoutMs?: number;
  /** Worker threads that render, as for `create`. Default: the machine's cores. */
  readonly threads?: number;
  /** Files of fonts by their families, as for `install`. Default: none. */
  readonly fonts?: Readonly<Record<string, string>>;
  /** Type of the pictures. Default: 'image/png'. */
  readonly type?: 'image/png' | 'image/jpeg' | 'image/webp';
}

type Settings = Omit<PageOrder, 'url' | 'html' | 'folder' | 'modules'>;

const DEFAULTS = {
  frames: [1] as readonly number[],
  width: 1280,
  height: 720,
  root: undefined as string | undefined,
  canvas: undefined as string | undefined,
  actions: [] as readonly PageAction[],
  seed: 1,
  network: false,
  timeoutMs: 60_000,
  threads: undefined as number | undefined,
  fonts: undefined as Readonly<Record<string, string>> | undefined,
  type: 'image/png',
};
const MAX_SIDE = 16_384;
const MAX_FRAME = 1_000_000;

/** @throws TypeError or RangeError if an option is unknown or has a wrong value */
export function checkedOptions(
  options: RunPageOptions
): Settings & { readonly root: string | undefined; readonly timeoutMs: number } {
  for (const name of Object.keys(options))
    if (!(name in DEFAULTS))
      throw new TypeError(`runPage: unknown option ${name}; options are ${Object.keys(DEFAULTS).join(', ')}`);
  const given = { ...DEFAULTS, ...options };
  const check = (name: keyof typeof given, fits: boolean, needs: string): void => {
    if (!fits) throw new RangeError(`runPage: ${name} must be ${needs}, not ${String(given[name])}`);
  };
  const isWhole = (value: unknown, least: number, most: number): boolean =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  const frames = [...given.frames].sort((a, b) => a - b);
  const areFrames = frames.length > 0 && frames.every((frame) => isWhole(frame, 1, MAX_FRAME));
  check('frames', areFrames, `an array of integers from 1 to ${MAX_FRAME}`);
  check('width', isWhole(given.width, 1, MAX_SIDE), `an integer from 1 to ${MAX_SIDE}`);
  check('height', isWhole(given.height, 1, MAX_SIDE), `an integer from 1 to ${MAX_SIDE}`);
  check('timeoutMs', isWhole(given.timeoutMs, 1, 0x7fff_ffff), 'a positive integer of 31 bits');
  check('seed', isWhole(given.seed, -(2 ** 31), 2 ** 32 - 1), 'an integer of 32 bits');
  check('type', /^image\/(png|jpeg|webp)$/.test(given.type), "'image/png', 'image/jpeg' or 'image/webp'");
  const { canvas, ...rest } = given;
  return { ...rest, frames: [...new Set(frames)], selector: canvas ?? null };
}
