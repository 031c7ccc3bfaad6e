// The public types of `rasterloom/gltf`.
import type { ShadingRate } from '../../index';

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- there is nothing to check by
type UndeclaredDevice = any;

/** A GPUDevice as the importing application declares it, or `any` if it declares none. */
export type GltfDevice =
  typeof globalThis extends Record<'GPUDevice', { readonly prototype: infer T }> ? T : UndeclaredDevice;

/** Three numbers in the coordinates of the model. */
export type GltfPoint = readonly [x: number, y: number, z: number];

/** A camera that looks at the centre of the model. */
export interface GltfOrbit {
  /** Degrees around the vertical axis: 0 looks at the model's front (+Z), 90 at its left side (+X). Default: 30. */
  readonly azimuth?: number;
  /** Degrees above the horizon, −90 to 90. Default: 18. */
  readonly elevation?: number;
  /** Distance in radii of the model's bounding sphere. Default: the model fills the picture. */
  readonly distance?: number;
}

/** A camera at a place. */
export interface GltfLookAt {
  readonly eye: GltfPoint;
  readonly target: GltfPoint;
}

/** Rates by distance from the camera: equal slices of the range from `near` to `far` have the rates in this order. */
export interface GltfDistanceRates {
  readonly near: number;
  readonly far: number;
  /** 4, 8 or 16 rates. */
  readonly rates: readonly ShadingRate[];
}

/** Where work has arrived. */
export interface GltfProgress {
  readonly step: 'load' | 'decode' | 'upload' | 'render';
  /** Share of the step that is done, 0 to 1. */
  readonly done: number;
}

/** Options of every call. */
export interface GltfCallOptions {
  /** Rejects the call with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Called when a step begins, and for each decoded image. */
  readonly onProgress?: (progress: GltfProgress) => void;
}

/** A file that a model names, by its place. */
export type GltfResource =
  { readonly kind: 'inside' | 'outside'; readonly path: string } | { readonly kind: 'network'; readonly url: string };

/** Options of `loadGltf`. */
export interface GltfLoadOptions extends GltfCallOptions {
  /**
   * Device that draws: one of this package, or of a browser's own WebGPU. Default: a device of this package that all
   * models share and that does not keep the process alive.
   */
  readonly device?: GltfDevice;
  /** Threads that render and decode images, 0 to 64. Default: the number of processor cores. */
  readonly threads?: number;
  /** Memory that the model may take, in bytes. Default: 512 MiB. */
  readonly memory?: number;
  /**
   * Opens a file that the model names, for example from an archive. It gets the URI as it is in the file, and its place
   * relative to the model. Default: only files in the model's folder, if the source is a path or URL; otherwise none.
   */
  readonly readResource?: (uri: string, resource: GltfResource) => Promise<Uint8Array | ArrayBuffer>;
  /** Whether http and https addresses in the model may be fetched. Default: false. */
  readonly allowNetwork?: boolean;
}

/** Options of a picture. */
export interface GltfPictureOptions extends GltfCallOptions {
  /** Pixels, 1 to 8192. Default: 1280. */
  readonly width?: number;
  /** Pixels, 1 to 8192. Default: 720. */
  readonly height?: number;
  /** Samples per pixel. A device of another WebGPU has only 1 and 4. Default: 4. */
  readonly samples?: 1 | 2 | 4 | 8 | 16;
  /** `#rgb`, `#rrggbb`, `#rrggbbaa`, a basic CSS colour name or `transparent`. Default: '#cfd2d7'. */
  readonly background?: string;
  /** An orbit, a place, or a camera of the file by its name or index. Default: an orbit that fits the picture. */
  readonly camera?: GltfOrbit | GltfLookAt | string | number;
  /** Vertical field of view in degrees, 1 to 170. Default: 30. */
  readonly fieldOfView?: number;
  /** Draws without perspective. Default: false. */
  readonly orthographic?: boolean;
  /** Share of the picture that stays free on each side, 0 to 0.45. Default: 0.05. */
  readonly margin?: number;
  /** Name or index of a scene. Default: the default scene of the file. */
  readonly scene?: string | number;
  /** Name or index of a variant of the materials. Default: the materials as they are. */
  readonly variant?: string | number;
  /** Name or index of an animation. Default: the pose at rest, or the first animation if `time` is given. */
  readonly animation?: string | number;
  /** Seconds of the animation. Default: 0. */
  readonly time?: number;
  /** Pixels, 0.1 to 256. Default: 1. */
  readonly lineWidth?: number;
  /** Pixels, 0.1 to 256. Default: 3. */
  readonly pointSize?: number;
  /** Diameter of the lens in units of the model, or an f-number such as 'f/2.8'. Default: everything is in focus. */
  readonly aperture?: number | `f/${number}`;
  /** Distance of the focus in units of the model. Default: that of the model's centre. */
  readonly focus?: number;
  /**
   * Light around the model: a preset, or the bytes of a .hdr or .exr file with a panorama. Default: the image-based
   * light of the file (`EXT_lights_image_based`), or else 'studio'.
   */
  readonly environment?: 'studio' | 'sky' | 'sunset' | 'night' | Uint8Array;
  /** Degrees by which the environment is turned, −360 to 360. Default: 0. */
  readonly environmentRotation?: number;
  /** Factor of the environment's light, 0 to 1000. Default: 1. */
  readonly environmentIntensity?: number;
  /** Shows the environment behind the model: 0 is sharp, 1 the most blurred. Default: it is not shown. */
  readonly environmentBackground?: number;
  /** Stops by which the picture is brighter, −20 to 20. Default: 0. */
  readonly exposure?: number;
  /** How light becomes colours. Default: 'neutral'. */
  readonly toneMapping?: 'neutral' | 'aces' | 'agx' | 'linear';
  /** Whether the lights of the file cast shadows. Default: true. */
  readonly shadows?: boolean;
  /** Width of the shadow maps in texels, 64 to 4096. Default: 1024. */
  readonly shadowSize?: number;
  /** Draws a soft shadow on a plane under the model, where the model hides the sky. Default: false. */
  readonly ground?: boolean;
  /** What the pixels are; see `GltfPass`. Default: 'color'. */
  readonly pass?: GltfPass;
  /**
   * How colours are kept: 'srgb8' as bytes, 'srgb16' with 16 bits for PNG files, 'linear' as light before tone mapping
   * for EXR files. Default: 'srgb8'.
   */
  readonly color?: GltfColor;
  /**
   * Distance up to which surfaces hide the sky of `pass: 'ao'`, above 0, in units of the model. Default: a quarter of
   * the radius of its bounding sphere.
   */
  readonly aoRadius?: number;
  /** Frames per second, above 0 to 1000, for the next frame of `pass: 'motion'`. Default: 24. */
  readonly fps?: number;
  /**
   * Pixels that are shaded at once. It needs a device with the feature 'shading-rate', which the default one has. A
   * coarser rate in `extras.rasterloom.shadingRate` of a material applies to that material.
   */
  readonly shadingRate?: 'auto' | ShadingRate | GltfDistanceRates;
}

/** What a picture took. */
export interface GltfPictureStats {
  readonly triangles: number;
  readonly draws: number;
  readonly textures: number;
  readonly pipelines: number;
  readonly textureBytes: number;
  readonly bufferBytes: number;
  /** Time of the call, without the encoding of a file. */
  readonly milliseconds: number;
}

/**
 * What the pixels of a picture are.
 *
 * - `color`: the lit model.
 * - `albedo`: base colours without light. The background is transparent.
 * - `depth`: the distance along the view direction in units of the model. The background is Infinity.
 * - `normal`: the shading normal as x, y, z in the coordinates of the model, with normal maps, turned to the camera on
 *   the back of double-sided surfaces. The background, lines and points are 0, 0, 0.
 * - `object`, `material`: the number of the node or the material in the file, plus 1. The background is 0; surfaces
 *   without a material have the number after the last.
 * - `ao`: ambient occlusion in screen space: the share of the sky that is visible, 0 to 1. The background is 1.
 * - `motion`: pixels to the right and down until the next frame, and 1. The background is 0, 0, 0.
 *
 * All but the first two have one sample at the centre of each pixel, and surfaces count from an opacity of 0.5 on.
 */
export type GltfPass = 'color' | 'albedo' | 'depth' | 'normal' | 'object' | 'material' | 'ao' | 'motion';

/** How colours are kept. */
export type GltfColor = 'srgb8' | 'srgb16' | 'linear';

/** The pixels of a picture with these options. */
export type GltfPixels<Options> = Options extends { readonly pass: 'object' | 'material' }
  ? Uint32Array<ArrayBuffer>
  : Options extends { readonly pass: 'depth' | 'normal' | 'ao' | 'motion' }
    ? Float32Array<ArrayBuffer>
    : Options extends { readonly color: 'linear' }
      ? Float32Array<ArrayBuffer>
      : Options extends { readonly color: 'srgb16' }
        ? Uint16Array<ArrayBuffer>
        : Uint8Array<ArrayBuffer>;

/** An object or a material in a picture of ids. */
export interface GltfLegendEntry {
  readonly id: number;
  /** Its colour in PNG files with 8 bits, `#rrggbb`. */
  readonly color: string;
  /** Name of the node, or else of its mesh; or of the material. */
  readonly name: string;
  /** Pixels that show it. */
  readonly pixels: number;
}

/** Options of `toPNG`. */
export interface GltfPngOptions {
  /** Bits per channel. Default: 8, or 16 for a picture with `color: 'srgb16'`. Colours have the depth of `color`. */
  readonly depth?: 8 | 16;
  /** Distances of the smallest and the largest sample of `pass: 'depth'`. Default: those of `picture.depthRange`. */
  readonly depthRange?: readonly [near: number, far: number];
}

/** Options of `toEXR`. */
export interface GltfExrOptions {
  /** Bits per number: half or single precision. Default: 32 for depth and motion, otherwise 16. Ids have 32 bits. */
  readonly depth?: 16 | 32;
}

/** A picture of a model. */
export interface GltfPicture<Pixels = Uint8Array<ArrayBuffer>> {
  readonly width: number;
  readonly height: number;
  readonly pass: GltfPass;
  /**
   * Rows from the top. Colours are RGBA: sRGB with straight alpha, or with `color: 'linear'` premultiplied light. Other
   * passes have one or three numbers per pixel; see `GltfPass`.
   */
  readonly pixels: Pixels;
  /** What ids stand for, by id; undefined for other passes. */
  readonly legend?: readonly GltfLegendEntry[];
  /** The nearest and the farthest distance in the picture; undefined for other passes than 'depth'. */
  readonly depthRange?: readonly [near: number, far: number];
  readonly stats: GltfPictureStats;
  /** One sentence for each difference between the picture and the file's content. */
  readonly warnings: readonly string[];
  /**
   * Encodes the picture as a PNG file. Depth is grey from the nearest to the farthest distance, and white in the
   * background. Normals of −1 to 1 are 0 to the largest sample. Ids are colours of the legend, or with 16 bits grey
   * numbers. Visibility is grey. Motion is red and green; see the documentation. Rejects with a TypeError for linear
   * colours.
   */
  toPNG(options?: GltfPngOptions): Promise<Uint8Array<ArrayBuffer>>;
  /** Encodes the picture as an OpenEXR file. Rejects with a TypeError for colours that are not linear. */
  toEXR(options?: GltfExrOptions): Promise<Uint8Array<ArrayBuffer>>;
}

/** What is in a model. Figures are of the default scene at rest. */
export interface GltfInfo {
  readonly scenes: readonly string[];
  readonly animations: readonly { readonly name: string; readonly duration: number }[];
  readonly cameras: readonly string[];
  readonly variants: readonly string[];
  /** Corners of the bounding box, and the radius of the bounding sphere around its middle. */
  readonly bounds: { readonly min: GltfPoint; readonly max: GltfPoint; readonly radius: number };
  readonly triangles: number;
  readonly draws: number;
  readonly extensions: { readonly used: readonly string[]; readonly required: readonly string[] };
  readonly warnings: readonly string[];
}

/** A model on a device, for many pictures. */
export interface GltfModel {
  /** What is in the model. @throws GltfError if its default scene cannot be drawn */
  readonly info: GltfInfo;
  /**
   * Draws a picture. Calls wait for each other. It rejects with a GltfError, or with a TypeError if an option is wrong.
   */
  render<const Options extends GltfPictureOptions>(options?: Options): Promise<GltfPicture<GltfPixels<Options>>>;
  /** Frees the buffers and textures of the model. Pictures that were made stay valid. */
  dispose(): void;
  [Symbol.dispose](): void;
}
