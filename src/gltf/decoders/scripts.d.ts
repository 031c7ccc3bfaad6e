declare module 'draco3dgltf/draco_decoder_gltf_nodejs.js' {
  const create: (options?: object) => Promise<unknown>;
  export default create;
}
declare module 'three/examples/jsm/libs/basis/basis_transcoder.js' {
  const create: (options?: object) => Promise<unknown>;
  export default create;
}
declare module '*.wasm' {
  const bytes: () => Promise<Uint8Array>;
  export default bytes;
}
