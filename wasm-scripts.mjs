// A plugin of Rollup and Vite. It makes ES modules of two decoders that come as scripts with a WebAssembly file beside
// them, and puts the file inside. So each decoder is one file, in Node and in pages, with and without a bundler.
import { readFileSync } from 'node:fs';
import { join, dirname } from 'node:path';

const SCRIPTS = [
  {
    script: 'draco3dgltf/draco_decoder_gltf_nodejs.js',
    wasm: 'draco_decoder_gltf.wasm',
    factory: 'DracoDecoderModule',
    license: 'Draco decoder. Copyright The Draco Authors. Licensed under the Apache License, Version 2.0.',
  },
  {
    script: 'three/examples/jsm/libs/basis/basis_transcoder.js',
    wasm: 'basis_transcoder.wasm',
    factory: 'BASIS',
    license: 'Basis Universal transcoder. Copyright Binomial LLC. Licensed under the Apache License, Version 2.0.',
  },
];

/**
 * The scripts ask for these names of CommonJS in Node, but read no file if they are given its bytes. In Vitest, modules
 * have `exports` and `module`, which the scripts must not set.
 */
const SHIM = `const require = () => ({ normalize: (path) => path });
const __dirname = '';
const exports = undefined;
const module = undefined;`;

export const wasmScripts = {
  name: 'wasm-scripts',
  load(id) {
    const path = id.replace(/\\/g, '/').replace(/\?.*$/, '');
    const found = SCRIPTS.find(({ script }) => path.endsWith(`node_modules/${script}`));
    if (!found) return null;
    const code = readFileSync(path, 'utf8');
    const wasm = readFileSync(join(dirname(path), found.wasm)).toString('base64');
    return {
      code: `/*! ${found.license} */
${SHIM}
${code}
const text = ${JSON.stringify(wasm)};
export default (options) =>
  ${found.factory}({ ...options, wasmBinary: Uint8Array.from(atob(text), (character) => character.charCodeAt(0)) });
`,
      map: null,
    };
  },
};

/**
 * Puts the WebAssembly files of ES modules inside: an import of one gives its bytes. The modules' own addresses of the
 * files are removed, which bundlers would look for.
 */
export const wasmBytes = {
  name: 'wasm-bytes',
  load(id) {
    if (!id.endsWith('.wasm')) return null;
    const text = readFileSync(id).toString('base64');
    return `export default Uint8Array.from(atob(${JSON.stringify(text)}), (character) => character.charCodeAt(0));`;
  },
  transform: (code, id) =>
    /node_modules.@jsquash/.test(id)
      ? { code: code.replace(/new URL\(("\w+\.wasm"),\s*import\.meta\.url\)\.href/g, '$1'), map: null }
      : null,
};
