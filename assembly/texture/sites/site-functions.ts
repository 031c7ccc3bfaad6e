// The functions of sites, specialized when the draw call is bound: texel size, address mode and filter are constants in
// each. They are called only through the function table, with the signature (site) → void.
import { ADDRESS_CLAMP, ADDRESS_REPEAT, Site } from '../../layout';
import { CLASS_BYTES1, CLASS_BYTES2, CLASS_BYTES4, CLASS_FLOAT, CLASS_SRGB } from '../texels/classes';
import { readCube } from './site-cube';
import { LOAD_BYTES, LOAD_HALVES, LOAD_WORD, LOAD_WORDS, loadQuad, loadSample } from './site-load';
import { readNarrow } from './site-narrow';
import { readPages } from './site-pages';
import { ADDRESS_ANY, readQuad } from './site-quad';
import { readVolume } from './site-volume';

function linear4Repeat(site: Site): void {
  readQuad<u32>(site, ADDRESS_REPEAT, true);
}
function linear4Clamp(site: Site): void {
  readQuad<u32>(site, ADDRESS_CLAMP, true);
}
function linear4Any(site: Site): void {
  readQuad<u32>(site, ADDRESS_ANY, true);
}
function nearest4Repeat(site: Site): void {
  readQuad<u32>(site, ADDRESS_REPEAT, false);
}
function nearest4Clamp(site: Site): void {
  readQuad<u32>(site, ADDRESS_CLAMP, false);
}
function nearest4Any(site: Site): void {
  readQuad<u32>(site, ADDRESS_ANY, false);
}
function linear2Repeat(site: Site): void {
  readQuad<u16>(site, ADDRESS_REPEAT, true);
}
function linear2Clamp(site: Site): void {
  readQuad<u16>(site, ADDRESS_CLAMP, true);
}
function linear2Any(site: Site): void {
  readQuad<u16>(site, ADDRESS_ANY, true);
}
function nearest2Any(site: Site): void {
  readQuad<u16>(site, ADDRESS_ANY, false);
}
function linear1Repeat(site: Site): void {
  readQuad<u8>(site, ADDRESS_REPEAT, true);
}
function linear1Clamp(site: Site): void {
  readQuad<u8>(site, ADDRESS_CLAMP, true);
}
function linear1Any(site: Site): void {
  readQuad<u8>(site, ADDRESS_ANY, true);
}
function nearest1Any(site: Site): void {
  readQuad<u8>(site, ADDRESS_ANY, false);
}
function linearHalfRepeat(site: Site): void {
  readQuad<f64>(site, ADDRESS_REPEAT, true);
}
function linearHalfClamp(site: Site): void {
  readQuad<f64>(site, ADDRESS_CLAMP, true);
}
function linearHalfAny(site: Site): void {
  readQuad<f64>(site, ADDRESS_ANY, true);
}
function nearestHalfAny(site: Site): void {
  readQuad<f64>(site, ADDRESS_ANY, false);
}
function linearFloat(site: Site): void {
  readQuad<f32>(site, ADDRESS_ANY, true);
}
function nearestFloat(site: Site): void {
  readQuad<f32>(site, ADDRESS_ANY, false);
}
function linearHalf1(site: Site): void {
  readNarrow<u16>(site);
}
function linearHalf2(site: Site): void {
  readNarrow<u32>(site);
}
function loadBytes(site: Site): void {
  loadQuad(site, LOAD_BYTES);
}
function loadHalves(site: Site): void {
  loadQuad(site, LOAD_HALVES);
}
function loadWord(site: Site): void {
  loadQuad(site, LOAD_WORD);
}
function loadWords(site: Site): void {
  loadQuad(site, LOAD_WORDS);
}
function sampleBytes(site: Site): void {
  loadSample(site, LOAD_BYTES);
}
function sampleHalves(site: Site): void {
  loadSample(site, LOAD_HALVES);
}
function sampleWord(site: Site): void {
  loadSample(site, LOAD_WORD);
}
function sampleWords(site: Site): void {
  loadSample(site, LOAD_WORDS);
}

/** Function table slot for filtered reads of r16float or rg16float (site-narrow.ts). */
export function narrowSlot(channels: i32): u32 {
  return channels == 1 ? linearHalf1.index : linearHalf2.index;
}

/** Function table slot for reads of cube maps (site-cube.ts). */
export function cubeSlot(): u32 {
  return readCube.index;
}

/** Function table slot for reads of volumes (site-volume.ts). */
export function volumeSlot(): u32 {
  return readVolume.index;
}

/** Function table slot for sampling a class (CLASS_*, except CLASS_TEXEL). `address` is ADDRESS_* or ADDRESS_ANY. */
export function sampleSlot(textureClass: i32, address: i32, linear: bool): u32 {
  const repeat = address == ADDRESS_REPEAT;
  const clamp = address == ADDRESS_CLAMP;
  if (textureClass == CLASS_FLOAT) return linear ? linearFloat.index : nearestFloat.index;
  if (textureClass == CLASS_BYTES4 || textureClass == CLASS_SRGB) {
    if (linear) return repeat ? linear4Repeat.index : clamp ? linear4Clamp.index : linear4Any.index;
    return repeat ? nearest4Repeat.index : clamp ? nearest4Clamp.index : nearest4Any.index;
  }
  if (textureClass == CLASS_BYTES2)
    return !linear ? nearest2Any.index : repeat ? linear2Repeat.index : clamp ? linear2Clamp.index : linear2Any.index;
  if (textureClass == CLASS_BYTES1)
    return !linear ? nearest1Any.index : repeat ? linear1Repeat.index : clamp ? linear1Clamp.index : linear1Any.index;
  return !linear
    ? nearestHalfAny.index
    : repeat
      ? linearHalfRepeat.index
      : clamp
        ? linearHalfClamp.index
        : linearHalfAny.index;
}

function pages4Repeat(site: Site): void {
  readPages<u32>(site, ADDRESS_REPEAT, true);
}
function pages4Clamp(site: Site): void {
  readPages<u32>(site, ADDRESS_CLAMP, true);
}
function pages4Any(site: Site): void {
  readPages<u32>(site, ADDRESS_ANY, true);
}
function pages4NearestRepeat(site: Site): void {
  readPages<u32>(site, ADDRESS_REPEAT, false);
}
function pages4NearestClamp(site: Site): void {
  readPages<u32>(site, ADDRESS_CLAMP, false);
}
function pages4NearestAny(site: Site): void {
  readPages<u32>(site, ADDRESS_ANY, false);
}
function pages2Repeat(site: Site): void {
  readPages<u16>(site, ADDRESS_REPEAT, true);
}
function pages2Clamp(site: Site): void {
  readPages<u16>(site, ADDRESS_CLAMP, true);
}
function pages2Any(site: Site): void {
  readPages<u16>(site, ADDRESS_ANY, true);
}
function pages2Nearest(site: Site): void {
  readPages<u16>(site, ADDRESS_ANY, false);
}
function pages1Repeat(site: Site): void {
  readPages<u8>(site, ADDRESS_REPEAT, true);
}
function pages1Clamp(site: Site): void {
  readPages<u8>(site, ADDRESS_CLAMP, true);
}
function pages1Any(site: Site): void {
  readPages<u8>(site, ADDRESS_ANY, true);
}
function pages1Nearest(site: Site): void {
  readPages<u8>(site, ADDRESS_ANY, false);
}
function pagesHalfRepeat(site: Site): void {
  readPages<f64>(site, ADDRESS_REPEAT, true);
}
function pagesHalfClamp(site: Site): void {
  readPages<f64>(site, ADDRESS_CLAMP, true);
}
function pagesHalfAny(site: Site): void {
  readPages<f64>(site, ADDRESS_ANY, true);
}
function pagesHalfNearest(site: Site): void {
  readPages<f64>(site, ADDRESS_ANY, false);
}
function pagesFloat(site: Site): void {
  readPages<f32>(site, ADDRESS_ANY, true);
}
function pagesFloatNearest(site: Site): void {
  readPages<f32>(site, ADDRESS_ANY, false);
}

/** As sampleSlot, for streamed textures. */
export function pagesSlot(textureClass: i32, address: i32, linear: bool): u32 {
  const repeat = address == ADDRESS_REPEAT;
  const clamp = address == ADDRESS_CLAMP;
  if (textureClass == CLASS_FLOAT) return linear ? pagesFloat.index : pagesFloatNearest.index;
  if (textureClass == CLASS_BYTES4 || textureClass == CLASS_SRGB) {
    if (linear) return repeat ? pages4Repeat.index : clamp ? pages4Clamp.index : pages4Any.index;
    return repeat ? pages4NearestRepeat.index : clamp ? pages4NearestClamp.index : pages4NearestAny.index;
  }
  if (textureClass == CLASS_BYTES2)
    return !linear ? pages2Nearest.index : repeat ? pages2Repeat.index : clamp ? pages2Clamp.index : pages2Any.index;
  if (textureClass == CLASS_BYTES1)
    return !linear ? pages1Nearest.index : repeat ? pages1Repeat.index : clamp ? pages1Clamp.index : pages1Any.index;
  return !linear
    ? pagesHalfNearest.index
    : repeat
      ? pagesHalfRepeat.index
      : clamp
        ? pagesHalfClamp.index
        : pagesHalfAny.index;
}

/** Function table slot for loads of LOAD_*, except LOAD_GENERAL. */
export function loadSlot(kind: i32): u32 {
  return kind == LOAD_BYTES
    ? loadBytes.index
    : kind == LOAD_HALVES
      ? loadHalves.index
      : kind == LOAD_WORD
        ? loadWord.index
        : loadWords.index;
}

/** As loadSlot, for multisampled textures. */
export function samplesSlot(kind: i32): u32 {
  return kind == LOAD_BYTES
    ? sampleBytes.index
    : kind == LOAD_HALVES
      ? sampleHalves.index
      : kind == LOAD_WORD
        ? sampleWord.index
        : sampleWords.index;
}
