// The decoder of Draco data. The build makes a file of its own of this module, which is loaded on demand.
export { default as createDracoDecoder } from 'draco3dgltf/draco_decoder_gltf_nodejs.js';
