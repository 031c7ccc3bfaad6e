// GPU and GPUAdapter: https://www.w3.org/TR/webgpu/#initialization

import { isNamed } from '../base/errors';
import { deviceSlot } from './device';
import { DeviceCore, type OpenedEngine } from './core/device-core';
import { powerPreference } from './idl/enums';
import { LANGUAGE_FEATURES } from './core/front-end';
import {
  boolean,
  dictionary,
  defaulted,
  optional,
  promising,
  record,
  sequence,
  show,
  text,
  u64,
  type Convert,
} from './idl/idl';
import type { ReadImage } from './core/image-source';
import { rejectConstruction, expose, slot } from './idl/interface';
import {
  adapterFeatures,
  adapterLimits,
  defaultLimits,
  extensionFeatures,
  grantFeatures,
  grantLimits,
  limitNames,
  MODULAR_PIPELINES,
  type Limits,
} from './core/limits';
import { QueueCore, queueSlot } from './queue';
import { installStatistics } from './extensions/statistics';
import { installTrace } from './extensions/trace';

/** Loads the engine, and makes the renderer of one device. */
export type OpenEngine = () => Promise<OpenedEngine>;

/** Makes a constructor of read-only setlikes of strings: GPUSupportedFeatures and WGSLLanguageFeatures. */
function readonlySet(name: string): (values: Iterable<string>) => object {
  const storage = slot<{ readonly values: ReadonlySet<string> }>(name);
  class SetLike {
    constructor(...args: unknown[]) {
      rejectConstruction(args);
    }
    get size(): number {
      return storage.of(this).values.size;
    }
    has(value: unknown): boolean {
      return storage.of(this).values.has(String(value));
    }
    forEach(callback: (value: string, key: string, set: this) => void, thisArgument?: unknown): undefined {
      for (const value of storage.of(this).values) callback.call(thisArgument, value, value, this);
    }
    entries(): IterableIterator<[string, string]> {
      return storage.of(this).values.entries();
    }
    keys(): IterableIterator<string> {
      return storage.of(this).values.keys();
    }
    values(): IterableIterator<string> {
      return storage.of(this).values.values();
    }
  }
  Object.defineProperty(SetLike.prototype, Symbol.iterator, {
    value: SetLike.prototype.values,
    writable: true,
    configurable: true,
  });
  expose(name, SetLike, storage);
  return (values) => storage.make({ values: new Set(values) });
}
const makeFeatures = readonlySet('GPUSupportedFeatures');
const makeLanguageFeatures = readonlySet('WGSLLanguageFeatures');

const limitsSlot = slot<{ readonly limits: Limits }>('GPUSupportedLimits');
class GPUSupportedLimits {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
}
for (const name of limitNames)
  Object.defineProperty(GPUSupportedLimits.prototype, name, {
    configurable: true,
    get(this: unknown) {
      return limitsSlot.of(this).limits[name];
    },
  });
expose('GPUSupportedLimits', GPUSupportedLimits, limitsSlot);

const infoSlot = slot<{ readonly description: string }>('GPUAdapterInfo');
/** The adapter and its device report the same values, in separate objects. */
const makeInfo = (): object => infoSlot.make({ description: 'Rasterloom: WebGPU on the CPU, in WebAssembly' });
class GPUAdapterInfo {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  get vendor(): string {
    infoSlot.of(this);
    return 'rasterloom';
  }
  get architecture(): string {
    infoSlot.of(this);
    return 'wasm';
  }
  get device(): string {
    infoSlot.of(this);
    return '';
  }
  get description(): string {
    return infoSlot.of(this).description;
  }
  get subgroupMinSize(): number {
    infoSlot.of(this);
    return 4;
  }
  /** A subgroup is a quad. */
  get subgroupMaxSize(): number {
    infoSlot.of(this);
    return 4;
  }
  /** Rasterloom renders in software, so this is always true. */
  get isFallbackAdapter(): boolean {
    infoSlot.of(this);
    return true;
  }
}
expose('GPUAdapterInfo', GPUAdapterInfo, infoSlot);

interface AdapterCore {
  readonly open: OpenEngine;
  readonly readImage: ReadImage;
  /** Features that the adapter lists. It also grants Rasterloom's own features that are not listed. */
  readonly featureNames: readonly string[];
  readonly features: object;
  readonly limits: object;
  readonly info: object;
  /** Whether the adapter has created its only device. */
  consumed: boolean;
}
const adapterSlot = slot<AdapterCore>('GPUAdapter');

const limitValue: Convert<number | undefined> = (value, at) => (value === undefined ? undefined : u64(value, at));
const deviceDescriptor = dictionary('GPUDeviceDescriptor', {
  label: optional(text, ''),
  requiredFeatures: optional(sequence(text), []),
  requiredLimits: optional(record(limitValue), null),
  defaultQueue: defaulted(dictionary('GPUQueueDescriptor', { label: optional(text, '') })),
});
const operationError = (message: string): DOMException =>
  new DOMException(`requestDevice: ${message}`, 'OperationError');

class GPUAdapter {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  get features(): object {
    return adapterSlot.of(this).features;
  }
  get limits(): object {
    return adapterSlot.of(this).limits;
  }
  get info(): object {
    return adapterSlot.of(this).info;
  }
  requestDevice(descriptor?: unknown): Promise<object> {
    return promising(() => requestDevice(adapterSlot.of(this), descriptor));
  }
}
expose('GPUAdapter', GPUAdapter, adapterSlot);

/** A file of its own for pages; in Node, it is part of the module. */
const modularPipelines = (): Promise<typeof import('./modular/modular-pipeline')> =>
  import('./modular/modular-pipeline').catch((cause: unknown) => {
    throw new Error(
      `Rasterloom's modular pipelines could not be loaded: ${String(cause)}. Copy modular.js from `
        + 'node_modules/rasterloom/build next to the module',
      { cause }
    );
  });

async function requestDevice(adapter: AdapterCore, value: unknown): Promise<object> {
  const d = deviceDescriptor(value, 'requestDevice: descriptor');
  const offered = [...new Set([...adapter.featureNames, ...extensionFeatures])];
  for (const feature of d.requiredFeatures)
    if (!offered.includes(feature))
      throw new TypeError(
        `requestDevice: this adapter does not have the feature ${show(feature)}; it has ${offered.map(show).join(', ')}`
      );
  const limits = d.requiredLimits === null ? defaultLimits : grantLimits(d.requiredLimits);
  if (typeof limits === 'string') throw operationError(limits);
  if (adapter.consumed)
    throw operationError('this adapter has already created a device; call requestAdapter() for another adapter');
  adapter.consumed = true;
  const features = grantFeatures(d.requiredFeatures);
  const times = features.has('statistics-times');
  if (times) features.add('statistics');
  let opened: OpenedEngine;
  let modular: Awaited<ReturnType<typeof modularPipelines>> | null;
  try {
    [opened, modular] = await Promise.all([
      adapter.open(),
      features.has(MODULAR_PIPELINES) ? modularPipelines() : null,
    ]);
  } catch (error) {
    if (isNamed(error, 'OutOfMemoryError')) throw operationError(error.message);
    throw error;
  }
  const core = new DeviceCore(d.label, features, limits, opened, adapter.readImage);
  const { render } = opened;
  const queue = queueSlot.make(new QueueCore(core, d.defaultQueue.label));
  const parts = {
    core,
    features: makeFeatures(features),
    limits: limitsSlot.make({ limits }),
    adapterInfo: makeInfo(),
    queue,
  };
  const device = deviceSlot.make({
    ...parts,
    get label() {
      return core.label;
    },
    set label(label: string) {
      core.label = label;
    },
  }) as EventTarget;
  core.dispatch = (event) => void device.dispatchEvent(event);
  if (features.has('statistics')) installStatistics(device, core, render, times);
  if (features.has('trace')) installTrace(device, render);
  modular?.installModularPipelines(device, core);
  return device;
}

const adapterOptions = dictionary('GPURequestAdapterOptions', {
  featureLevel: optional(text, 'core'),
  powerPreference: optional(powerPreference),
  forceFallbackAdapter: optional(boolean, false),
  xrCompatible: optional(boolean, false),
});

interface GpuCore {
  readonly open: OpenEngine;
  readonly readImage: ReadImage;
  /** Rasterloom's own features that adapters list. */
  readonly extensions: readonly string[];
  readonly canvasFormat: CanvasFormat;
  readonly languageFeatures: object;
}
const gpuSlot = slot<GpuCore>('GPU');
class GPU {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  requestAdapter(options?: unknown): Promise<object | null> {
    return promising(() => {
      const { open, readImage, extensions } = gpuSlot.of(this);
      const { featureLevel } = adapterOptions(options, 'requestAdapter: options');
      // Other feature levels are unknown; the specification asks for no adapter then.
      if (featureLevel !== 'core' && featureLevel !== 'compatibility') return null;
      const features = [...adapterFeatures, ...extensions];
      return adapterSlot.make({
        open,
        readImage,
        consumed: false,
        featureNames: features,
        features: makeFeatures(features),
        limits: limitsSlot.make({ limits: adapterLimits }),
        info: makeInfo(),
      });
    });
  }
  getPreferredCanvasFormat(): GPUTextureFormat {
    return gpuSlot.of(this).canvasFormat;
  }
  get wgslLanguageFeatures(): object {
    return gpuSlot.of(this).languageFeatures;
  }
}
expose('GPU', GPU, gpuSlot);

/** Formats that getPreferredCanvasFormat() may return. */
export const canvasFormats = ['rgba8unorm', 'bgra8unorm'] as const;
type CanvasFormat = (typeof canvasFormats)[number];
/** Writing a picture of 1280×720 pixels takes 1.29 ms from rgba8unorm, and 1.54 ms from bgra8unorm. */
export const defaultCanvasFormat: CanvasFormat = 'rgba8unorm';

interface GpuOptions {
  /** Rasterloom's own features that adapters list. */
  readonly extensions?: readonly string[];
  /** Reads images of the platform. */
  readonly readImage?: ReadImage;
  readonly canvasFormat?: CanvasFormat;
}

/** Creates a GPU whose devices use the renderers that `open` returns. */
export function makeGpu(
  open: OpenEngine,
  { extensions = [], readImage = () => null, canvasFormat = defaultCanvasFormat }: GpuOptions = {}
): globalThis.GPU {
  const languageFeatures = makeLanguageFeatures(LANGUAGE_FEATURES);
  return gpuSlot.make({ open, extensions, readImage, canvasFormat, languageFeatures }) as unknown as globalThis.GPU;
}
