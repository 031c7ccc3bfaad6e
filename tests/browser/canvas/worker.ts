// Draws cubes frame by frame on the OffscreenCanvas that it receives.
import { board, makeCubes } from './cubes';

interface Order {
  canvas: OffscreenCanvas;
  frames: number;
  setsSides?: boolean;
}

onmessage = async ({ data: { canvas, frames, setsSides = false } }: MessageEvent<Order>) => {
  try {
    const device = await (await navigator.gpu.requestAdapter())!.requestDevice();
    const context = canvas.getContext('webgpu') as unknown as GPUCanvasContext;
    const format = navigator.gpu.getPreferredCanvasFormat();
    context.configure({ device, format });
    const image = await createImageBitmap(board(64, [220, 160, 40, 255], [40, 60, 160, 255]));
    const cubes = makeCubes(device, format, image, 9);
    let drawn = 0;
    const frame = (): void => {
      if (setsSides) canvas.width = 200;
      if (setsSides && drawn === 5) postMessage('begun');
      cubes.draw(context, 0.6);
      if (++drawn < frames) requestAnimationFrame(frame);
      // After the end of the frame.
      else requestAnimationFrame(() => void device.queue.onSubmittedWorkDone().then(() => postMessage('drawn')));
    };
    requestAnimationFrame(frame);
  } catch (error) {
    postMessage(String(error));
  }
};
