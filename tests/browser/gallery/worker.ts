// A page of the gallery on an OffscreenCanvas. Replies with the errors that occurred.
import { gallery } from './index';
import { nextFrame } from './kit';

onmessage = async ({ data: { name, canvas } }: MessageEvent<{ name: string; canvas: OffscreenCanvas }>) => {
  const errors: string[] = [];
  try {
    await gallery[name]!({
      // For the members that pages use, both are the same.
      addCanvas: (width, height) => Object.assign(canvas, { width, height }) as unknown as HTMLCanvasElement,
      failed: (message) => void errors.push(message),
      picture: '',
    });
    for (let i = 0; i < 3; i++) await nextFrame();
  } catch (error) {
    errors.push(String(error));
  }
  postMessage(errors);
};
