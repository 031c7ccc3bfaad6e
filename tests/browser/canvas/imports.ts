// copyExternalImageToTexture from each kind of image that a page has.

/** Four pixels with distinct orientation: red, green, a transparent color, and a partly transparent one. */
const PIXELS = [255, 0, 0, 255, 0, 255, 0, 255, 10, 20, 30, 0, 203, 102, 51, 10];
const OPAQUE = PIXELS.map((value, i) => (i % 4 === 3 ? 255 : value));

function canvasOf(canvas: HTMLCanvasElement | OffscreenCanvas, pixels: readonly number[]): typeof canvas {
  canvas.width = canvas.height = 2;
  const context = canvas.getContext('2d') as CanvasRenderingContext2D;
  context.putImageData(new ImageData(new Uint8ClampedArray(pixels), 2, 2), 0, 0);
  return canvas;
}

async function imageElement(): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = (canvasOf(document.createElement('canvas'), PIXELS) as HTMLCanvasElement).toDataURL();
  await image.decode();
  return image;
}

/** A video of a canvas that does not change. */
async function video(): Promise<HTMLVideoElement> {
  const canvas = document.createElement('canvas');
  const element = document.createElement('video');
  canvas.width = canvas.height = 64;
  const context = canvas.getContext('2d')!;
  element.muted = true;
  element.srcObject = canvas.captureStream(30);
  const played = element.play();
  // Frames are captured when the canvas changes.
  for (let i = 0; i < 4; i++) {
    context.fillStyle = '#c04020';
    context.fillRect(0, 0, 64, 64);
    await new Promise((done) => setTimeout(done, 40));
  }
  await played;
  return element;
}

/** A canvas with a WebGPU context that has just been drawn to. */
function ours(device: GPUDevice): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = canvas.height = 2;
  const context = canvas.getContext('webgpu')!;
  context.configure({ device, format: 'rgba8unorm', alphaMode: 'premultiplied', usage: GPUTextureUsage.COPY_DST });
  const premultiplied = PIXELS.map((value, i) => (i % 4 < 3 ? Math.round((value * PIXELS[i | 3]!) / 255) : value));
  device.queue.writeTexture(
    { texture: context.getCurrentTexture() },
    new Uint8Array(premultiplied),
    { bytesPerRow: 8 },
    [2, 2]
  );
  return canvas;
}

async function copied(
  device: GPUDevice,
  source: GPUCopyExternalImageSource,
  [width, height]: readonly [number, number],
  { premultipliedAlpha = false, ...more }: { premultipliedAlpha?: boolean; flipY?: boolean; origin?: number[] } = {}
): Promise<number[]> {
  const size = [width, height];
  const texture = device.createTexture({
    size,
    format: 'rgba8unorm',
    usage: GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST | GPUTextureUsage.RENDER_ATTACHMENT,
  });
  device.queue.copyExternalImageToTexture({ source, ...more }, { texture, premultipliedAlpha }, size);
  const usage = GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ;
  const buffer = device.createBuffer({ size: 512, usage });
  const encoder = device.createCommandEncoder();
  encoder.copyTextureToBuffer({ texture }, { buffer, bytesPerRow: 256 }, size);
  device.queue.submit([encoder.finish()]);
  await buffer.mapAsync(GPUMapMode.READ);
  const bytes = new Uint8Array(buffer.getMappedRange());
  return Array.from({ length: height }, (_, y) => [...bytes.slice(y * 256, y * 256 + width * 4)]).flat();
}

/** Returns the contents of a texture after each kind of copy, by name; errors as strings. */
export async function importImages(device: GPUDevice): Promise<Record<string, unknown>> {
  const data = new ImageData(new Uint8ClampedArray(PIXELS), 2, 2);
  const whole = [2, 2] as const;
  const one = [1, 1] as const;
  const movie = await video();
  const frame = new VideoFrame(canvasOf(new OffscreenCanvas(2, 2), OPAQUE), { timestamp: 0 });
  const closed = await createImageBitmap(data);
  closed.close();
  const broken = new Image();
  broken.src = 'data:image/png;base64,AAAA';
  await broken.decode().catch(() => undefined);
  const ways: Record<string, () => Promise<number[]>> = {
    ImageData: () => copied(device, data, whole),
    flipped: () => copied(device, data, whole, { flipY: true }),
    premultiplied: () => copied(device, data, whole, { premultipliedAlpha: true }),
    ImageBitmap: async () => copied(device, await createImageBitmap(data), whole),
    'ImageBitmap, alpha kept apart': async () =>
      copied(device, await createImageBitmap(data, { premultiplyAlpha: 'none' }), whole),
    HTMLImageElement: async () => copied(device, await imageElement(), whole),
    HTMLCanvasElement: () => copied(device, canvasOf(document.createElement('canvas'), PIXELS), whole),
    OffscreenCanvas: () => copied(device, canvasOf(new OffscreenCanvas(2, 2), PIXELS), whole),
    'a canvas of WebGPU': () => copied(device, ours(device), whole),
    VideoFrame: () => copied(device, frame, whole),
    HTMLVideoElement: () => copied(device, movie, one, { origin: [30, 30] }),
    'a closed ImageBitmap': () => copied(device, closed, whole),
    'a broken image': () => copied(device, broken, whole),
    'too large': () => copied(device, data, [3, 2]),
  };
  const results: Record<string, unknown> = {};
  for (const [name, way] of Object.entries(ways)) {
    try {
      results[name] = await way();
    } catch (error) {
      results[name] = (error as Error).name;
    }
  }
  frame.close();
  return results;
}
