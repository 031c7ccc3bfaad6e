// The transcoder of Basis Universal textures. The build makes a separate file of this module, which is loaded on
// demand.
export { default as createBasisTranscoder } from 'three/examples/jsm/libs/basis/basis_transcoder.js';
