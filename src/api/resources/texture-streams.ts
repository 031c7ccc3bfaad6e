// Validation of streamed textures, whose pages come from the application: the member `stream` of their descriptors.
import {
  MAX_PAGE_SHIFT,
  MIN_PAGE_SHIFT,
  MAX_STREAM_TEXELS,
} from '../../../assembly/layout/texture/texture-stream-codes';
import type { PrefetchedPages, StreamShape, TextureShape, TextureStore } from '../../render/types';
import { TextureUsage } from '../idl/constants';
import { MAX_TIMER_MS } from '../../base/clock';
import { refuse, requireUsable, type ApiObject, type DeviceCore, type Fail } from '../core/device-core';
import {
  bufferSource,
  closed,
  color,
  dictionary,
  double,
  enumeration,
  extent,
  optional,
  origin,
  required,
  show,
  u32,
  u64,
  type Convert,
  type Origin,
} from '../idl/idl';
import type { MissingPages, TextureStream } from './texture-stream-types';

const STREAMED_TEXTURES = 'streamed-textures';

function callback<T>(): Convert<T> {
  return (value, at) => {
    if (typeof value !== 'function') throw new TypeError(`${at} must be a function, not ${show(value)}`);
    return value as T;
  };
}

export const textureStream = closed(
  dictionary('TextureStream', {
    loadPage: required(callback<TextureStream['loadPage']>()),
    pageSize: optional(u32, 128),
    maxConcurrentLoads: optional(u32, 8),
    budget: optional(u64, 64 << 20),
    late: optional(enumeration('TextureStream.late', ['wait', 'resident']), 'wait'),
    onMissing: optional(callback<(missing: MissingPages) => unknown>()),
    timeoutMs: optional(double),
    retry: optional(callback<NonNullable<TextureStream['retry']>>()),
    priority: optional(callback<NonNullable<TextureStream['priority']>>()),
    fallback: optional(color),
  })
);
export type StreamDescriptor = ReturnType<typeof textureStream>;
/** The members of a texture's descriptor that streaming depends on. */
type Streamed = Pick<
  TextureShape,
  'format' | 'dimension' | 'sampleCount' | 'width' | 'height' | 'depthOrArrayLayers' | 'mipLevelCount'
> & { readonly usage: number; readonly stream: StreamDescriptor | undefined };

/** Validates a streamed texture and its stream. */
export function checkStream(device: DeviceCore, d: Streamed, stream: StreamDescriptor, no: Fail): void {
  if (!device.features.has(STREAMED_TEXTURES))
    no(`stream needs the feature "${STREAMED_TEXTURES}"; ask for it in requestDevice({ requiredFeatures })`);
  const { format, pageSize, budget } = { ...d, ...stream };
  if (d.dimension === '1d' || d.sampleCount !== 1)
    no(`a streamed texture must be 2d or 3d with sample count 1, not ${d.dimension} with ${d.sampleCount}`);
  if (format.aspect !== 'color') no(`a streamed texture must have a colour format, not ${format.name}`);
  if (d.usage !== TextureUsage.TEXTURE_BINDING)
    no('a streamed texture must have usage TEXTURE_BINDING and no other: its texels come from stream.loadPage');
  const least = 1 << MIN_PAGE_SHIFT;
  const most = 1 << MAX_PAGE_SHIFT;
  if (pageSize < least || pageSize > most || (pageSize & (pageSize - 1)) !== 0)
    no(`stream.pageSize ${pageSize} must be a power of two from ${least} to ${most}`);
  if (stream.maxConcurrentLoads === 0) no('stream.maxConcurrentLoads must be at least 1');
  const { timeoutMs } = stream;
  if (timeoutMs !== undefined && !(timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS))
    no(`stream.timeoutMs ${timeoutMs} must be greater than 0, and at most ${MAX_TIMER_MS}`);
  const bytes = device.engine.minStreamBytes(d, format.bytes, pageSize);
  if (budget < bytes)
    no(
      `stream.budget ${budget} is less than the ${bytes} bytes of the smallest levels, `
        + 'which are always resident, and one page'
    );
  if (stream.fallback !== undefined && !device.engine.takesImages(format))
    no(`stream.fallback needs a format that images can be copied to, not ${format.name}`);
  if (stream.onMissing !== undefined && stream.late !== 'resident')
    no('stream.onMissing needs late: "resident", because with "wait" no page is missing');
}

/** Returns the maximum width and height of a 2d texture in texels. */
export const maxTexels = (device: DeviceCore, d: Pick<Streamed, 'stream'>): number =>
  d.stream && device.features.has(STREAMED_TEXTURES) ? MAX_STREAM_TEXELS : device.limits.maxTextureDimension2D;

/** A number or null; NaN for other values. */
const numberFrom = (value: unknown): number | null => (value === null || typeof value === 'number' ? value : NaN);

export function streamShape({ engine }: DeviceCore, { format, stream: d }: Streamed): StreamShape | null {
  if (!d) return null;
  const { loadPage, onMissing, pageSize, maxConcurrentLoads, budget, timeoutMs, retry, priority, late, fallback } = d;
  return {
    pageSize,
    maxConcurrentLoads,
    budgetBytes: budget,
    timeoutMs: timeoutMs ?? null,
    waits: late === 'wait',
    load: async ({ level, x, y, layer }, signal) =>
      bufferSource(await loadPage(level, x, y, layer, signal), 'the result of loadPage').bytes,
    retry: retry ? (attempt, error) => numberFrom(retry(attempt, error) ?? null) : null,
    priority: priority ? (page) => Number(priority(page)) || 0 : null,
    fallback: fallback ? engine.imageColor(format, fallback) : null,
    missing: onMissing ? (pages, arrived) => onMissing({ pages, arrived }) : null,
  };
}

const textureRegion = closed(
  dictionary('TextureRegion', {
    mipLevel: optional(u32, 0),
    origin: optional(origin, [0, 0, 0] as Origin),
    size: optional(extent),
  })
);

/** What `prefetch` needs to know of a texture. */
interface Prefetchable extends ApiObject {
  readonly descriptor: { readonly mipLevelCount: number };
  readonly store: TextureStore;
  readonly destroyed: boolean;
  readonly fate: string;
  mipSize(level: number): readonly [number, number, number];
}

/** Gives a streamed texture its method `prefetch`. */
export function exposePrefetch(texture: object, core: Prefetchable): void {
  const prefetch = async (value?: unknown): Promise<PrefetchedPages> => {
    const { mipLevel, origin: first, size } = textureRegion(value ?? {}, 'prefetch: region');
    const no = (message: string): never => refuse(core, 'prefetch', message);
    requireUsable(core, core, core.device, 'prefetch');
    if (core.destroyed) no(`it ${core.fate}`);
    const { mipLevelCount } = core.descriptor;
    if (mipLevel >= mipLevelCount) no(`mipLevel ${mipLevel} exceeds the last level ${mipLevelCount - 1}`);
    const whole = core.mipSize(mipLevel);
    const { width, height, depthOrArrayLayers } = size ?? {
      width: whole[0] - first[0],
      height: whole[1] - first[1],
      depthOrArrayLayers: whole[2] - first[2],
    };
    const sizes = [width, height, depthOrArrayLayers] as const;
    if (sizes.some((each, i) => each <= 0 || first[i]! + each > whole[i]!))
      no(
        `the region of ${sizes.join('×')} texels at (${first.join(', ')}) is not within the `
          + `${whole.join('×')} of its level`
      );
    return core.store.prefetch({ level: mipLevel, origin: first, size: sizes });
  };
  Object.defineProperty(texture, 'prefetch', { value: prefetch, enumerable: false, configurable: true });
}
