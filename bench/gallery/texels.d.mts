// Types for the tests, which are written in TypeScript.
interface Picture {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}
interface Place {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}
interface Order {
  readonly flipY: boolean;
  readonly premultipliedAlpha: boolean;
  readonly isBgra: boolean;
}
export function clearOfPadding(
  rows: ArrayBuffer,
  bytesPerRow: number,
  texture: { readonly width: number; readonly height: number; readonly format: string }
): Uint8ClampedArray;
export function straight(pixels: Uint8ClampedArray, isOpaque: boolean): Uint8ClampedArray;
export function cropped(image: Picture, place: Place, order: Order): Uint8ClampedArray;
export function readPicture(file: Uint8Array): Picture;
export function difference(a: Picture, b: Picture): number;
