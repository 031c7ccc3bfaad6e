// Files of pictures, with their options.
import { quoted } from '../../base/printable';
import type { Deflate } from '../passes/exr-writer';
import { encodeExr, encodePng, isLinear } from '../passes/files';
import { isOfColours, type PassPicture } from '../passes/kinds';
import type { GltfExrOptions, GltfPngOptions } from './types';

export async function toPng(
  picture: PassPicture,
  deflate: Deflate,
  { depth, depthRange, ...others }: GltfPngOptions = {}
): Promise<Uint8Array<ArrayBuffer>> {
  checkNames('toPNG', others);
  if (depth !== undefined && depth !== 8 && depth !== 16) fail('toPNG', 'depth must be 8 or 16', depth);
  if (isLinear(picture)) fail('toPNG', "color must be 'srgb8' or 'srgb16' for a PNG file", 'linear');
  const { pass, pixels } = picture;
  const own = pixels instanceof Uint16Array ? 16 : 8;
  if (isOfColours(pass) && depth !== undefined && depth !== own)
    fail('toPNG', `the picture has ${own} bits per channel; draw it with color: 'srgb${depth}' for depth`, depth);
  if (depthRange !== undefined) {
    const [near, far] = depthRange as readonly unknown[];
    if (pass !== 'depth') fail('toPNG', "depthRange is for pass: 'depth'", pass);
    if (typeof near !== 'number' || typeof far !== 'number' || !(near < far) || !Number.isFinite(far - near))
      fail('toPNG', 'depthRange must be two numbers, the smaller one first', depthRange);
  }
  return (await encodePng(picture, deflate, depth ?? own, depthRange)).file;
}

export async function toExr(
  picture: PassPicture,
  deflate: Deflate,
  { depth, ...others }: GltfExrOptions = {}
): Promise<Uint8Array<ArrayBuffer>> {
  checkNames('toEXR', others);
  if (depth !== undefined && depth !== 16 && depth !== 32) fail('toEXR', 'depth must be 16 or 32', depth);
  if (isOfColours(picture.pass) && !isLinear(picture)) fail('toEXR', "color must be 'linear' for an EXR file", 'sRGB');
  return encodeExr(picture, deflate, depth);
}

function checkNames(call: string, others: object): void {
  const [name] = Object.keys(others);
  if (name !== undefined) throw new TypeError(`${call}: there is no option ${name}`);
}

function fail(call: string, what: string, value: unknown): never {
  throw new TypeError(`${call}: ${what}, not ${quoted(value)}`);
}
