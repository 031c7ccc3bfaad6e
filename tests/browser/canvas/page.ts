// The page that tests/browser/canvas.test.ts controls, after importing rasterloom/register.
import { board, makeCubes } from './cubes';
import { importImages } from './imports';

const format = navigator.gpu.getPreferredCanvasFormat();
const device = await (await navigator.gpu.requestAdapter())!.requestDevice();
const errors: string[] = [];
device.onuncapturederror = ({ error }) => void errors.push(error.message);
const nextFrame = (): Promise<number> => new Promise((done) => requestAnimationFrame(done));
/** Resolves when everything drawn so far is on the screen. */
async function shown(): Promise<void> {
  await nextFrame();
  await nextFrame();
  await device.queue.onSubmittedWorkDone();
  await nextFrame();
}

function addCanvas(width: number, height: number, style = ''): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  canvas.style.cssText = `display: block; ${style}`;
  document.body.append(canvas);
  return canvas;
}
function contextOf(
  canvas: HTMLCanvasElement | OffscreenCanvas,
  more: Partial<GPUCanvasConfiguration> = {}
): GPUCanvasContext {
  const context = (canvas as HTMLCanvasElement).getContext('webgpu')!;
  context.configure({ device, format, ...more });
  return context;
}
const picture = createImageBitmap(board(64, [220, 60, 40, 255], [40, 60, 60, 255]));

function clear(context: GPUCanvasContext, clearValue: GPUColor): void {
  const encoder = device.createCommandEncoder();
  const view = context.getCurrentTexture();
  encoder.beginRenderPass({ colorAttachments: [{ view, loadOp: 'clear', storeOp: 'store', clearValue }] }).end();
  device.queue.submit([encoder.finish()]);
}

const tests = {
  errors: () => errors.splice(0),
  reset: () => {
    document.body.replaceChildren();
  },

  /** Cubes on a canvas, at two consecutive sizes. */
  cubes: async () => {
    const context = contextOf(addCanvas(200, 120));
    const cubes = makeCubes(device, format, await picture, 9);
    for (let i = 0; i < 3; i++) {
      await nextFrame();
      cubes.draw(context, i / 3);
    }
    await shown();
  },
  resize: async () => {
    const canvas = addCanvas(60, 40);
    const context = contextOf(canvas);
    const cubes = makeCubes(device, format, await picture, 1);
    const sizes: number[][] = [];
    for (const [width, height] of [
      [60, 40],
      [300, 200],
      [120, 240],
    ] as const) {
      canvas.width = width;
      canvas.height = height;
      await nextFrame();
      cubes.draw(context, 0.6);
      const texture = context.getCurrentTexture();
      sizes.push([texture.width, texture.height]);
    }
    await shown();
    return sizes;
  },
  /** A loop that sets width and height to their current values before each frame, until the page is reset. */
  setSides: async (way: 'width' | 'both' | 'setAttribute' | 'configure' | 'OffscreenCanvas') => {
    const canvas = addCanvas(200, 120);
    if (way === 'OffscreenCanvas') {
      const offscreen = canvas.transferControlToOffscreen();
      const worker = new Worker('/worker.js', { type: 'module' });
      worker.postMessage({ canvas: offscreen, frames: 1e6, setsSides: true }, [offscreen]);
      await new Promise((done) => {
        worker.onmessage = done;
      });
      return;
    }
    const context = contextOf(canvas);
    const cubes = makeCubes(device, format, await picture, 9);
    let drawn = 0;
    const frame = (): void => {
      if (!canvas.isConnected) return;
      if (way === 'setAttribute') canvas.setAttribute('width', '200');
      else if (way === 'configure') context.configure({ device, format });
      else canvas.width = 200;
      if (way === 'both') canvas.height = 120;
      cubes.draw(context, ++drawn / 50);
      requestAnimationFrame(frame);
    };
    frame();
    while (drawn < 5) await nextFrame();
  },
  /** Sets a side after a frame, without another frame. */
  setSideLast: async () => {
    const canvas = addCanvas(200, 120);
    const context = contextOf(canvas);
    await nextFrame();
    clear(context, [1, 0, 0, 1]);
    await nextFrame();
    const texture = context.getCurrentTexture();
    canvas.width = 200;
    const isNew = context.getCurrentTexture() !== texture;
    canvas.width = 200;
    await shown();
    return isNew;
  },
  /** Four canvases with different colors, formats and alpha modes; the page's background is blue. */
  several: async () => {
    document.body.style.background = '#0000ff';
    const draw: [GPUTextureFormat, GPUCanvasAlphaMode, number[]][] = [
      ['rgba8unorm', 'opaque', [0.5, 0.25, 0, 0.5]],
      ['bgra8unorm', 'premultiplied', [0.5, 0.25, 0, 0.5]],
      ['rgba16float', 'premultiplied', [0.5, 0, 0, 0.5]],
      ['rgba16float', 'opaque', [2, 0.5, -1, 0]],
      ['rgba8unorm', 'premultiplied', [0, 0, 0, 0]],
    ];
    const all = draw.map(([format, alphaMode, value]) => ({
      context: contextOf(addCanvas(40, 20), { format, alphaMode }),
      value,
    }));
    await nextFrame();
    for (const { context, value } of all) clear(context, value);
    await shown();
  },
  worker: async () => {
    const canvas = addCanvas(200, 120);
    const offscreen = canvas.transferControlToOffscreen();
    const worker = new Worker('/worker.js', { type: 'module' });
    const said = await new Promise((done) => {
      worker.onmessage = ({ data }) => done(data);
      worker.onerror = ({ message }) => done(message);
      worker.postMessage({ canvas: offscreen, frames: 3 }, [offscreen]);
    });
    await nextFrame();
    await nextFrame();
    return said;
  },
  importImages: () => importImages(device),

  /** Ways to read a canvas's pixels, directly after the call that draws. */
  readBack: async () => {
    const canvas = addCanvas(16, 8);
    const context = contextOf(canvas);
    await nextFrame();
    clear(context, [1, 0.5, 0, 1]);
    const texture = context.getCurrentTexture();
    const url = canvas.toDataURL();
    clear(context, [1, 0, 0.5, 1]);
    const bitmapOfCanvas = createImageBitmap(canvas);
    clear(context, [0, 0.5, 1, 1]);
    const blob = new Promise<Blob | null>((done) => canvas.toBlob(done));
    const offscreen = new OffscreenCanvas(4, 4);
    clear(contextOf(offscreen), [0, 1, 0, 1]);
    const bitmap = offscreen.transferToImageBitmap();
    const scratch = new OffscreenCanvas(16, 8).getContext('2d')!;
    const first = (image: CanvasImageSource): number[] => {
      scratch.drawImage(image, 0, 0);
      return [...scratch.getImageData(0, 0, 1, 1).data];
    };
    const still = context.getCurrentTexture() === texture;
    clear(context, [0.5, 0, 1, 1]);
    return [
      first(canvas),
      first(await createImageBitmap(await (await fetch(url)).blob())),
      first(await bitmapOfCanvas),
      first(await createImageBitmap((await blob)!)),
      first(bitmap),
      still,
    ];
  },
  contexts: () => {
    const canvas = addCanvas(4, 4);
    const context = canvas.getContext('webgpu');
    const other = addCanvas(4, 4);
    other.getContext('2d');
    return [
      context === canvas.getContext('webgpu'),
      context!.canvas === canvas,
      canvas.getContext('2d'),
      other.getContext('webgpu') === null,
      other.getContext('2d') !== null,
    ];
  },

  /** Counts the frames that the page's loop drew, and those shown, in this time. */
  loop: async (milliseconds: number) => {
    const context = contextOf(addCanvas(640, 480));
    const cubes = makeCubes(device, format, await picture, 9);
    const state = { drawn: 0, done: 0, most: 0 };
    const end = performance.now() + milliseconds;
    await new Promise<void>((finished) => {
      const frame = (): void => {
        cubes.draw(context, performance.now() / 1000);
        state.drawn++;
        void device.queue.onSubmittedWorkDone().then(() => state.done++);
        state.most = Math.max(state.most, state.drawn - state.done);
        if (performance.now() < end) requestAnimationFrame(frame);
        else finished();
      };
      requestAnimationFrame(frame);
    });
    return state;
  },
  /** Frames queued without waiting, by a loop that never yields and by timeouts; the last one is red. */
  flood: async (count: number, waits: boolean) => {
    const canvas = addCanvas(100, 50);
    const context = contextOf(canvas);
    const bytes = new Uint8Array(65536);
    const buffer = device.createBuffer({ size: bytes.length, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.UNIFORM });
    let done = 0;
    let most = 0;
    for (let i = 1; i <= count; i++) {
      device.queue.writeBuffer(buffer, 0, bytes);
      clear(context, [i === count ? 1 : 0, 0, i / count, 1]);
      void device.queue.onSubmittedWorkDone().then(() => done++);
      most = Math.max(most, i - done);
      if (waits) await new Promise((next) => setTimeout(next));
    }
    const start = performance.now();
    await device.queue.onSubmittedWorkDone();
    const latency = performance.now() - start;
    await shown();
    return { most, done, latency };
  },
};
export type Tests = typeof tests;
(globalThis as unknown as { tests: Tests }).tests = tests;
