// The device of the views of a page: that of the browser's own WebGPU, if it has a real GPU.
/// <reference types="@webgpu/types" />

let native: Promise<GPUDevice | null> | null = null;

/** A device of the browser that all views share; null without a GPU. Then `rasterloom/gltf` opens one of its own. */
export function browserDevice(): Promise<GPUDevice | null> {
  native ??= openBrowserDevice();
  void native.then((device) => device?.lost.then(() => (native = null)));
  return native;
}

async function openBrowserDevice(): Promise<GPUDevice | null> {
  try {
    const adapter = await (navigator.gpu as GPU | undefined)?.requestAdapter();
    // A fallback adapter draws on the processor, too. Rasterloom's own adapter is no GPU of the browser.
    if (!adapter || adapter.info.isFallbackAdapter || adapter.info.vendor === 'rasterloom') return null;
    const { maxTextureDimension2D, maxBufferSize } = adapter.limits;
    return await adapter.requestDevice({ requiredLimits: { maxTextureDimension2D, maxBufferSize } });
  } catch {
    return null;
  }
}
