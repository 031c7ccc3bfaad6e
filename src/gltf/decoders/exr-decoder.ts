// The decoder of OpenEXR pictures. The build makes a file of its own of this module, which is loaded on demand.
export { convertLinearColorSpace } from 'hdrify/dist/color/convert.js';
export { readExr } from 'hdrify/dist/exr/readExr.js';
