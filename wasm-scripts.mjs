// A plugin of Rollup and Vite. It makes ES modules of two decoders that come as scripts with a WebAssembly file beside
// them, and puts the file inside. So each decoder is one file, in Node and in pages, with and without a bundler.
import { readFileSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { deflateRawSync } from 'node:zlib';

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

/**
 * Code of a function that returns a promise of a file's bytes. The code contains them compressed: npm and servers
 * compress Base64 of uncompressed bytes a third worse than the bytes.
 */
const inside = (path) => {
  const text = deflateRawSync(readFileSync(path), { level: 9 }).toString('base64');
  return `async () => {
  const bytes = Uint8Array.from(atob('${text}'), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}`;
};

export const wasmScripts = {
  name: 'wasm-scripts',
  load(id) {
    const path = id.replace(/\\/g, '/').replace(/\?.*$/, '');
    const found = SCRIPTS.find(({ script }) => path.endsWith(`node_modules/${script}`));
    if (!found) return null;
    const code = readFileSync(path, 'utf8');
    return {
      code: `/*! ${found.license} */
${SHIM}
${code}
const bytes = ${inside(join(dirname(path), found.wasm))};
export default async (options) => ${found.factory}({ ...options, wasmBinary: await bytes() });
`,
      map: null,
    };
  },
};

/**
 * Puts the WebAssembly files of ES modules inside: an import of one is a function that returns a promise of its bytes.
 * The modules' own addresses of the files are removed, which bundlers would look for.
 */
export const wasmBytes = {
  name: 'wasm-bytes',
  load(id) {
    if (!id.endsWith('.wasm')) return null;
    return `export default ${inside(id)};`;
  },
  transform: (code, id) =>
    /node_modules.@jsquash/.test(id)
      ? { code: code.replace(/new URL\(("\w+\.wasm"),\s*import\.meta\.url\)\.href/g, '$1'), map: null }
      : null,
};
