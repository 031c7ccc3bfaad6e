// Measures frames of a scene on one device: this package with some options, or the browser's own WebGPU.
import { create } from 'rasterloom';
import { sceneById } from '../scenes';
import { heightOf } from '../protocol';
import { defineConstants } from './globals';
import { SceneRenderer } from './scene-renderer';

/** How this package is run; null: the browser's own WebGPU. */
export interface Contender {
  readonly engine: 'jit' | 'interpreter';
  readonly simd: boolean;
  readonly threads: number;
}
export interface BenchRequest {
  readonly scene: string;
  readonly contender: Contender | null;
}
export type BenchResponse =
  { readonly ms: number; readonly device: string } | { readonly error: string } | { readonly absent: string };

const WIDTH = 640;
const SAMPLES = 4;
const WARM_UP_MS = 300;
const MEASURE_MS = 1200;
const MIN_BATCHES = 5;
/** Frames that are submitted together, so that the time until a browser answers does not count. */
const BATCH = 4;

async function measure(device: GPUDevice, id: string): Promise<number> {
  const scene = sceneById(id)!;
  const module = device.createShaderModule({ code: scene.code });
  const height = heightOf(WIDTH);
  const renderer = new SceneRenderer(device, scene, module, { width: WIDTH, height, samples: SAMPLES });
  let count = 0;
  const batch = async (): Promise<number> => {
    const began = performance.now();
    for (let k = 0; k < BATCH; k++) {
      const encoder = device.createCommandEncoder();
      renderer.encode(encoder, {
        seconds: count / 60,
        count: count++,
        pointer: [WIDTH / 2, height / 2],
        keepsSamples: false,
      });
      device.queue.submit([encoder.finish()]);
    }
    await device.queue.onSubmittedWorkDone();
    return (performance.now() - began) / BATCH;
  };
  const start = performance.now();
  do await batch();
  while (performance.now() - start < WARM_UP_MS);
  const times: number[] = [];
  const began = performance.now();
  while (times.length < MIN_BATCHES || performance.now() - began < MEASURE_MS) times.push(await batch());
  return times.sort((a, b) => a - b)[times.length >> 1]!;
}

async function run({ scene, contender }: BenchRequest): Promise<BenchResponse> {
  const gpu = contender ? (create({ ...contender, timeoutMs: 5000 }) as GPU) : (navigator.gpu as GPU | undefined);
  const adapter = await gpu?.requestAdapter();
  if (!adapter) return { absent: 'this browser has no WebGPU adapter' };
  const device = await adapter.requestDevice();
  const { vendor, architecture, description, isFallbackAdapter } = adapter.info;
  const name = [...new Set([vendor, architecture, description])].filter(Boolean).join(' ');
  try {
    return { ms: await measure(device, scene), device: isFallbackAdapter ? `${name}, on the processor` : name };
  } finally {
    device.destroy();
  }
}

defineConstants();
onmessage = ({ data }: MessageEvent<BenchRequest>) =>
  void run(data).then(postMessage, (error: unknown) => postMessage({ error: String(error) } satisfies BenchResponse));
