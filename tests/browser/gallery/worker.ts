// A page of the gallery on an OffscreenCanvas. Answers with the errors that there were.
import { gallery } from './index';
import { nextFrame } from './kit';

onmessage = async ({ data: { name, canvas } }: MessageEvent<{ name: string; canvas: OffscreenCanvas }>) => {
  const errors: string[] = [];
  try {
    await gallery[name]!({
      // As far as pages ask, they are the same.
      addCanvas: (width, height) => Object.assign(canvas, { width, height }) as unknown as HTMLCanvasElement,
      failed: (message) => void errors.push(message), picture: '',
    });
    for (let i = 0; i < 3; i++) await nextFrame();
  } catch (error) {
    errors.push(String(error));
  }
  postMessage(errors);
};
