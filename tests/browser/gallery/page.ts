// The page that tests/browser/gallery.test.ts controls, after importing rasterloom/register.
import { gallery } from './index';
import { nextFrame, type Page } from './kit';
import { resize } from './resize';
import { video } from './video';

/** A page of the gallery in a document: its canvases are stacked vertically, and errors are recorded. */
class Document implements Page {
  readonly picture: string;
  readonly errors: string[] = [];

  constructor(picture: string) {
    this.picture = picture;
  }
  addCanvas(width: number, height: number): HTMLCanvasElement {
    const canvas = document.createElement('canvas');
    canvas.width = width;
    canvas.height = height;
    canvas.style.display = 'block';
    document.body.append(canvas);
    return canvas;
  }
  failed(message: string): void {
    this.errors.push(message);
  }
}

async function show(
  draw: (page: Document) => Promise<unknown>,
  picture = ''
): Promise<{ found: unknown; errors: string[] }> {
  document.body.replaceChildren();
  const page = new Document(picture);
  const found = await draw(page);
  // The last frame is on the screen.
  for (let i = 0; i < 3; i++) await nextFrame();
  return { found, errors: page.errors };
}

const tests = {
  draw: (name: string, picture: string) => show(gallery[name]!, picture),
  video: () => show(video),
  resize: (sizes: readonly (readonly [string, string])[]) => show((page) => resize(page, sizes)),
  /** The same in a worker, on the OffscreenCanvas of an element. */
  inWorker: (name: string, width: number, height: number) =>
    show((page) => {
      const canvas = page.addCanvas(width, height).transferControlToOffscreen();
      const worker = new Worker('/worker.js', { type: 'module' });
      return new Promise((done) => {
        worker.onmessage = ({ data }) => done(data);
        worker.onerror = ({ message }) => done(message);
        worker.postMessage({ name, canvas }, [canvas]);
      });
    }),
};
(globalThis as unknown as { tests: typeof tests }).tests = tests;
