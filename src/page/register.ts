// Installs Rasterloom in place of a browser's WebGPU.
import type { globals } from '../api';
import { installCanvases } from './canvas';
import { installFrames } from './frames';

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, writable: true, configurable: true });
}

/**
 * Installs a GPU of Rasterloom if the browser has no WebGPU, or no adapter for it (for example without a GPU). The
 * adapter is only known asynchronously: the browser is asked for one immediately, and applications get theirs after the
 * answer. Canvas contexts that are created before may become either kind.
 */
export function registerInPage(ours: GPU, classes: typeof globals): void {
  const native = (navigator as { readonly gpu?: GPU }).gpu;
  const replace = (): void => {
    for (const [name, value] of Object.entries(classes)) define(globalThis, name, value);
    installFrames();
  };
  define(navigator, 'gpu', ours);
  const restore = installCanvases(native !== undefined);
  if (native === undefined) {
    replace();
    return;
  }
  const answered = native
    .requestAdapter()
    .then(
      (adapter) => adapter !== null,
      () => false
    )
    .then((hasAdapter) => {
      if (hasAdapter) {
        Reflect.deleteProperty(navigator, 'gpu');
        restore();
      } else {
        Reflect.deleteProperty(ours, 'requestAdapter');
        replace();
      }
      return hasAdapter ? native : ours;
    });
  define(ours, 'requestAdapter', async (options?: GPURequestAdapterOptions) =>
    (await answered).requestAdapter(options)
  );
}
