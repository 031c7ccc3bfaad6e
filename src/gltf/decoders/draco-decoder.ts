// The decoder of Draco data. The build makes a separate file of this module, which is loaded on demand.
export { default as createDracoDecoder } from 'draco3dgltf/draco_decoder_gltf_nodejs.js';
