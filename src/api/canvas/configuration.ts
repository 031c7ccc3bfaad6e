// GPUCanvasConfiguration: https://www.w3.org/TR/webgpu/#canvas-configuration

import type { FormatInfo } from '../../surface/formats';
import { TextureUsage } from '../idl/constants';
import { deviceSlot, type DeviceParts } from '../device';
import { colorSpace } from '../idl/enums';
import { dictionary, enumeration, optional, required, sequence, u32, type Convert } from '../idl/idl';
import { textureFormat, type TextureDescriptor } from '../resources/texture-descriptor';

/** The device object that the application passed, and its core. */
interface ConfiguredDevice {
  readonly object: object;
  readonly core: DeviceParts['core'];
}
const device: Convert<ConfiguredDevice> = (value, at) => {
  const parts = deviceSlot.find(value);
  if (parts === undefined) throw new TypeError(`${at} must be a GPUDevice`);
  return { object: value as object, core: parts.core };
};

/** Whether a value is a device of Rasterloom. */
export const isDevice = (value: unknown): boolean => deviceSlot.find(value) !== undefined;

const CONTEXT_FORMATS = ['bgra8unorm', 'rgba8unorm', 'rgba16float'];
const contextFormat: Convert<FormatInfo> = (value, at) => {
  const format = textureFormat(value, at);
  if (!CONTEXT_FORMATS.includes(format.name))
    throw new TypeError(
      `${at}: a canvas format must be one of ${CONTEXT_FORMATS.join(', ')}, not ${format.name}; `
        + 'list formats with -srgb in viewFormats'
    );
  return format;
};

const toneMappingMode = enumeration('GPUCanvasToneMappingMode', ['standard', 'extended']);
const alphaMode = enumeration('GPUCanvasAlphaMode', ['opaque', 'premultiplied']);

const usage: Convert<number> = (value, at) => {
  const flags = u32(value, at);
  if ((flags & TextureUsage.TRANSIENT_ATTACHMENT) !== 0)
    throw new TypeError(`${at}: a canvas cannot have TRANSIENT_ATTACHMENT, because its contents must be stored`);
  return flags;
};
export const canvasConfiguration = dictionary('GPUCanvasConfiguration', {
  device: required(device),
  format: required(contextFormat),
  usage: optional(usage, TextureUsage.RENDER_ATTACHMENT),
  viewFormats: optional(sequence(textureFormat), [] as FormatInfo[]),
  colorSpace: optional(colorSpace, 'srgb'),
  toneMapping: optional(dictionary('GPUCanvasToneMapping', { mode: optional(toneMappingMode, 'standard') }), {
    mode: 'standard',
  }),
  alphaMode: optional(alphaMode, 'opaque'),
});
export type CanvasConfiguration = ReturnType<typeof canvasConfiguration>;

/** Makes a new dictionary with the same values, as getConfiguration() returns it. */
export function configurationObject(configuration: CanvasConfiguration): object {
  const {
    device: { object },
    format,
    usage,
    viewFormats,
    toneMapping,
  } = configuration;
  return {
    device: object,
    format: format.name,
    usage,
    viewFormats: viewFormats.map(({ name }) => name),
    colorSpace: configuration.colorSpace,
    toneMapping: { ...toneMapping },
    alphaMode: configuration.alphaMode,
  };
}

/** Descriptor of the context's textures for the given size of the canvas, in pixels. */
export function canvasTexture(
  { format, usage, viewFormats }: CanvasConfiguration,
  width: number,
  height: number
): TextureDescriptor {
  return {
    label: '',
    dimension: '2d',
    format,
    usage,
    viewFormats,
    width,
    height,
    depthOrArrayLayers: 1,
    mipLevelCount: 1,
    sampleCount: 1,
    overcommit: false,
    colorMergeThreshold: undefined,
    depthMergeThreshold: undefined,
    stream: undefined,
  };
}
