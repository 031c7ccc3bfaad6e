// `rasterloom render`: from a model's path to a picture's, and what is told on the way.
/// <reference types="@webgpu/types" />
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { placeCamera } from '../gltf/camera';
import { createCodecs } from '../gltf/codecs';
import { decodeImages } from '../gltf/image-set';
import { loadModel } from '../gltf/load';
import { countInvocations, renderPicture, type PictureOptions } from '../gltf/render';
import { flattenScene } from '../gltf/scene';
import { uploadScene, type GpuScene } from '../gltf/upload';
import { CommandError } from './errors';
import { openGpu, type Gpu } from './gpu';
import type { RenderCommand } from './options';
import { drawOverdraw, summarize, type CountedPicture, type OverdrawReport } from './overdraw';
import { checkOutput, encodePicture, writeWhole } from './picture-file';
import { Progress, type Part, type Terminal } from './progress';
import type { RenderReport } from './report';
import { reason, resourcesOf } from './resources';

/** What the command needs from outside, so that tests can stand in for it. */
export interface Surroundings {
  createGPU: (engine: RenderCommand['engine']) => GPU;
  /** The bundled scene. */
  sampleUrl: URL;
  stderr: Terminal;
}

/** Renders and writes the picture. @throws CommandError or ModelError; then no file has been written */
export async function renderCommand(command: RenderCommand, { createGPU, sampleUrl, stderr }: Surroundings): Promise<RenderReport> {
  await checkOutput(command.output);
  const progress = new Progress(stderr);
  try {
    return await renderWithProgress(command, createGPU, sampleUrl, progress);
  } finally {
    progress.end();
  }
}

async function renderWithProgress(command: RenderCommand, createGPU: Surroundings['createGPU'], sampleUrl: URL, progress: Progress): Promise<RenderReport> {
  const times: RenderReport['times'] = { start: 0, load: 0, decode: 0, upload: 0, render: 0, encode: 0, total: 0 };
  const timed = async <T>(part: Part | 'start', work: () => T | Promise<T>): Promise<T> => {
    const before = performance.now();
    if (part !== 'start') progress.at(part);
    const result = await work();
    times[part] += performance.now() - before;
    return result;
  };
  const began = performance.now();
  const { width, height, samples, background } = command;
  const scene = await timed('load', async () => {
    const source = command.model ?? sampleUrl;
    const bytes = await readModelFile(source);
    return flattenScene(await loadModel(bytes, command.model === undefined ? undefined : resourcesOf(command.model, command)));
  });
  const images = await timed('decode', () => decodeImages(scene, createCodecs(readWasm), (done, all) => progress.at('decode', done / all)));
  const gpu = await timed('start', () => openGpu(() => createGPU(command.engine), command.stats || command.json));
  const limit = gpu.device.limits.maxTextureDimension2D;
  if (width > limit || height > limit) throw new CommandError(`--size ${width}x${height} is too large: a side has at most ${limit} pixels.`);
  const camera = placeCamera(scene, command.orbit, width, height);
  const uploaded = await timed('upload', () => gpu.run('Uploading the model', () => uploadScene(gpu.device, scene, images, camera, samples)));
  const drawn = await timed('render', () => drawPass(gpu, uploaded, command.pass, { width, height, samples, background }));
  const statistics = gpu.statistics();
  gpu.device.destroy();
  const png = await timed('encode', async () => {
    const bytes = encodePicture(drawn.pixels, drawn.width, drawn.height);
    await writeWhole(command.output, bytes);
    return bytes;
  });
  times.total = performance.now() - began;
  return {
    model: command.model ?? 'sample', output: command.output, pass: command.pass, width: drawn.width, height: drawn.height, samples,
    triangles: scene.triangles, draws: scene.draws.length, ...uploaded.counts, counters: statistics?.counters ?? null, programs: statistics?.programs ?? null, kernelTimes: statistics?.times ?? null, overdraw: drawn.overdraw,
    peakBytes: process.resourceUsage().maxRSS * 1024, pngBytes: png.length, times, warnings: scene.warnings,
  };
}

/** The picture of a pass, and its numbers. */
async function drawPass(gpu: Gpu, scene: GpuScene, pass: RenderCommand['pass'], options: PictureOptions): Promise<CountedPicture & { overdraw: OverdrawReport | null }> {
  if (pass === 'color') {
    const pixels = await gpu.run('Rendering', () => renderPicture(gpu.device, scene, options));
    return { pixels, width: options.width, height: options.height, overdraw: null };
  }
  if (gpu.statistics() === null) throw new CommandError('--pass overdraw needs a GPU that counts fragment invocations, and this one does not.');
  const counts = await gpu.run('Rendering', () => countInvocations(gpu.device, scene, options));
  return { ...drawOverdraw(counts, options.width), overdraw: summarize(counts) };
}

async function readModelFile(source: string | URL): Promise<Uint8Array> {
  try {
    return await readFile(source);
  } catch (error) {
    throw new CommandError(`The model ${JSON.stringify(String(source))} ${reason(error)}.`, { cause: error });
  }
}

/** The decoders' WebAssembly, from the packages that hold it. */
function readWasm(specifier: string): Promise<Uint8Array> {
  return readFile(createRequire(import.meta.url).resolve(specifier));
}
