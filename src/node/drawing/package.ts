// The optional package that draws shapes, text and scaled images on 2D canvases, and decodes further kinds of images.
// It is loaded when something needs it first.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { messageOf } from '../../gltf/errors';
import { process, withProcess } from '../host';

const DRAWING_PACKAGE = '@napi-rs/canvas';

/** A context of the package, which has the members of CanvasRenderingContext2D. */
export type NativeContext = Record<string, unknown> & {
  getImageData(x: number, y: number, width: number, height: number): { readonly data: Uint8ClampedArray<ArrayBuffer> };
  putImageData(image: object, ...values: number[]): void;
  drawImage(image: object, ...values: number[]): void;
  createPattern(image: object, repetition: unknown): object | null;
};
interface NativeCanvas {
  getContext(kind: '2d', attributes?: object): NativeContext;
}
interface NativeImage {
  src: Uint8Array;
  onerror: () => void;
  readonly width: number;
  readonly height: number;
  decode(): Promise<void>;
}
interface DrawingPackage {
  readonly createCanvas: (width: number, height: number) => NativeCanvas;
  readonly ImageData: new (data: Uint8ClampedArray, width: number, height: number) => object;
  readonly Image: new () => NativeImage;
  readonly Path2D: unknown;
  readonly GlobalFonts: {
    registerFromPath(file: string, family: string): unknown;
    register(file: Uint8Array, family: string): unknown;
  };
}

/** CommonJS bundles have no import.meta. */
const here = (import.meta.url as string | undefined) ?? pathToFileURL(__filename).href;

let loaded: DrawingPackage | null | undefined;
let reason = 'it is not installed';

/** Returns the package as Rasterloom or the working folder sees it; null if it is not installed. */
export function drawingPackage(): DrawingPackage | null {
  if (loaded !== undefined) return loaded;
  loaded = null;
  // It looks for the platform in `process`.
  withProcess(() => {
    for (const from of [here, join(process.cwd(), 'module')])
      try {
        loaded = createRequire(from)(DRAWING_PACKAGE) as DrawingPackage;
        break;
      } catch (error) {
        if ((error as { code?: unknown }).code !== 'MODULE_NOT_FOUND') reason = messageOf(error);
      }
  });
  return loaded;
}

/** What decoders of images get: they are a bundle of their own, and the package must be loaded by one module. */
export interface Drawing {
  readonly load: () => DrawingPackage | null;
  readonly advice: () => string;
}
export const drawing: Drawing = { load: drawingPackage, advice: () => drawingAdvice() };

/** The end of a message: what to do without the package. */
export const drawingAdvice = (): string =>
  `needs the package ${DRAWING_PACKAGE} (${reason}); install it by npm install ${DRAWING_PACKAGE}`;

/** Pictures that the package has been given, by their pixels. */
const pictures = new WeakMap<object, NativeCanvas>();

/** Returns pixels with straight alpha as an image that the package draws. Pixels do not change. */
export function nativeImage({
  data,
  width,
  height,
}: {
  readonly data: Uint8ClampedArray | Uint8Array;
  readonly width: number;
  readonly height: number;
}): object {
  let canvas = pictures.get(data);
  if (canvas === undefined) {
    const { createCanvas, ImageData } = drawingPackage()!;
    canvas = createCanvas(width, height);
    const view = new Uint8ClampedArray(data.buffer as ArrayBuffer, data.byteOffset, data.length);
    canvas.getContext('2d').putImageData(new ImageData(view, width, height), 0, 0);
    pictures.set(data, canvas);
  }
  return canvas;
}
