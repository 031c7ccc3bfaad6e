// Builds the playground into build/playground, on the package as it is built. `npm run docs` copies it into the site.
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

const BUILD = new URL('../../build/', import.meta.url);
const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' };

export default defineConfig({
  root: fileURLToPath(new URL('./', import.meta.url)),
  // The site may be served from any folder of any host.
  base: './',
  cacheDir: fileURLToPath(new URL('playground-cache', BUILD)),
  resolve: {
    alias: [
      { find: /^rasterloom$/, replacement: fileURLToPath(new URL('index.browser.js', BUILD)) },
      { find: /^rasterloom\/gltf$/, replacement: fileURLToPath(new URL('gltf.browser.js', BUILD)) },
    ],
  },
  worker: { format: 'es' },
  build: {
    outDir: fileURLToPath(new URL('playground', BUILD)),
    emptyOutDir: true,
    target: 'es2022',
    chunkSizeWarningLimit: 2000,
    // The package's files keep their own names in messages.
    assetsInlineLimit: 0,
  },
  server: { headers, fs: { allow: ['../..'] } },
  preview: { headers },
});
