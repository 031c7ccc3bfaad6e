// Renders a scene for a test, with virtual time and seeded random numbers.
import type { Canvas, createCanvas, install } from '../index';
import { Definitions } from '../base/definitions';
import type { VirtualTime, virtualTime } from '../virtual-time';

/** Options of `renderScene`. */
export interface SceneOptions {
  /** Size of the canvas in pixels. Default: 256×256. */
  readonly width?: number;
  readonly height?: number;
  /** Number of the frame whose picture is returned. Default: 1. */
  readonly frame?: number;
  /** Time of the picture in milliseconds, instead of a frame. */
  readonly time?: number;
  /** Seed of `Math.random`. Default: 1. */
  readonly seed?: number;
  /** Frames per second. Default: 60. */
  readonly frameRate?: number;
  /** Longest real time in milliseconds in which nothing that is awaited ends. Default: 30,000. */
  readonly loadTimeoutMs?: number;
}

/** What a scene is given. */
export interface SceneContext {
  readonly canvas: Canvas;
  readonly width: number;
  readonly height: number;
  /** The time in which the scene runs. */
  readonly time: VirtualTime;
}

/** A picture: RGBA with 8 bits per channel, in rows from the top. */
export interface ScenePicture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

const DEFAULTS: Required<Omit<SceneOptions, 'time'>> & Pick<SceneOptions, 'time'> = {
  width: 256,
  height: 256,
  frame: 1,
  time: undefined,
  seed: 1,
  frameRate: 60,
  loadTimeoutMs: 30_000,
};

/** The functions of the package that scenes need. */
interface Environment {
  readonly createCanvas: typeof createCanvas;
  readonly install: typeof install;
  readonly virtualTime: typeof virtualTime;
}
type Scene = (context: SceneContext) => unknown;

/** Makes `renderScene`. */
export function makeRenderScene(
  environment: Environment
): (scene: Scene, options?: SceneOptions) => Promise<ScenePicture> {
  /** Settles when the last scene is done. */
  let last: Promise<unknown> = Promise.resolve();
  return (scene, options = {}) => {
    if (typeof scene !== 'function') throw new TypeError('renderScene: the scene must be a function');
    for (const name of Object.keys(options))
      if (!(name in DEFAULTS))
        throw new TypeError(`renderScene: unknown option ${name}; options are ${Object.keys(DEFAULTS).join(', ')}`);
    const turn = last.then(() => renderAlone(environment, scene, { ...DEFAULTS, ...options }));
    last = turn.catch(() => undefined);
    return turn;
  };
}

/** Name of the scene function in messages. */
const SCENE = 'the scene function, which must not wait for timers or frames (but may wait for time.until(condition))';

async function renderAlone(
  environment: Environment,
  scene: Scene,
  { width, height, frame, time: end, seed, frameRate, loadTimeoutMs }: typeof DEFAULTS
): Promise<ScenePicture> {
  const uninstall = isInstalled() ? undefined : environment.install();
  const adapters = new Definitions();
  const devices = collectDevices(adapters);
  const time = environment.virtualTime({ seed, frameRate, loadTimeoutMs });
  let stop: unknown;
  try {
    const canvas = environment.createCanvas(width, height);
    const started = time.hold(Promise.resolve(scene({ canvas, width, height, time })), SCENE);
    [stop] = await Promise.all([started, end === undefined ? time.advanceToFrame(frame) : time.advance(end)]);
    const { data } = await canvas.getPixels();
    return { width, height, data };
  } finally {
    if (typeof stop === 'function') await (stop as () => unknown)();
    time.restore();
    adapters.restore();
    // Their workers would outlive the test.
    for (const device of devices) device.destroy();
    uninstall?.();
  }
}

type RequestDevice = (this: GPUAdapter, descriptor?: GPUDeviceDescriptor) => Promise<GPUDevice>;

/** Collects the devices that are opened from now on. */
function collectDevices(adapters: Definitions): readonly GPUDevice[] {
  const devices: GPUDevice[] = [];
  const requestDevice = GPUAdapter.prototype.requestDevice as RequestDevice;
  adapters.put(GPUAdapter.prototype, {
    async requestDevice(this: GPUAdapter, descriptor?: GPUDeviceDescriptor): Promise<GPUDevice> {
      const device = await requestDevice.call(this, descriptor);
      devices.push(device);
      return device;
    },
  });
  return devices;
}

/** Whether the application has called install(). */
function isInstalled(): boolean {
  const here = globalThis as { readonly document?: object; readonly navigator?: { readonly gpu?: object } };
  return here.document !== undefined && here.navigator?.gpu instanceof Object && here.navigator.gpu.constructor === GPU;
}
