// The decoder of PNG images. The build makes a separate file of this module, which is loaded on demand: the package
// fast-png has 30 modules, which take 30 ms of processor time to load.
export { convertIndexedToRgb, decode, type DecodedPng } from 'fast-png';
