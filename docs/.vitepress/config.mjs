// The documentation site: `npm run docs` builds it into build/docs, `npm run docs:dev` serves it while it is written.
// The pages are plain Markdown files that read well in the repository, too. reference/api/ is made by TypeDoc.
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { defineConfig } from 'vitepress';

const DOCS = new URL('../', import.meta.url);
const ROOT = new URL('../', DOCS);
const { repository } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8'));
const REPOSITORY = repository.url.replace(/^git\+|\.git$/g, '');

/** The first pages of each section, in the order in which a newcomer reads them. The others follow by name. */
const FIRST = {
  guides: [
    'getting-started',
    'view',
    'playground',
    'gltf-on-a-server',
    'gltf-thumbnails',
    'gltf-animations',
    'gltf-options',
    'farm',
    'farm-deployment',
    'farm-many-machines',
    'threejs',
    'babylonjs',
    'playcanvas',
    'other-engines',
    'engine-suites',
    'image-tests',
    'shader-tests',
    'version-changes',
    'bundlers',
    'untrusted-input',
    'troubleshooting',
  ],
  features: [],
  reference: ['options', 'limits', 'errors', 'command', 'webgpu', 'wgsl', 'gltf', 'gltf-api', 'farm', 'virtual-time'],
  internals: ['architecture', 'from-draw-to-pixel', 'from-wgsl-to-machine-code', 'memory-and-records'],
  decisions: [],
};
const TITLES = {
  guides: 'Guides',
  features: 'Features',
  reference: 'Reference',
  internals: 'Internals',
  decisions: 'Decisions',
};

const headingOf = (path) =>
  /^# (.*)$/m.exec(readFileSync(new URL(path, DOCS), 'utf8'))?.[1].replaceAll('`', '') ?? path;

/** The sidebar's entries for a folder of pages. */
function pagesOf(section) {
  if (!existsSync(new URL(`${section}/`, DOCS))) return [];
  const names = readdirSync(new URL(`${section}/`, DOCS))
    .filter((name) => name.endsWith('.md'))
    .map((name) => name.slice(0, -'.md'.length));
  const first = FIRST[section].filter((name) => names.includes(name));
  const pages = [...first, ...names.filter((name) => !first.includes(name)).sort()].map((name) => ({
    text: headingOf(`${section}/${name}.md`),
    link: `/${section}/${name}`,
  }));
  if (section === 'reference' && existsSync(new URL('reference/api/', DOCS)))
    pages.push({ text: 'API', link: '/reference/api/' });
  return pages;
}

/** Relative links out of docs/ work in the repository; on the site they lead to the repository. */
function linkToRepository(md) {
  md.core.ruler.push('repository-links', ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (!href?.startsWith('../')) continue;
      const url = new URL(href, pathToFileURL(env.path)).href;
      if (!url.startsWith(DOCS.href)) token.attrSet('href', `${REPOSITORY}/blob/main/${url.slice(ROOT.href.length)}`);
    }
  });
}

/** Files of the package that the live example in guides/view.md loads. */
const LIVE = [
  'view.js',
  'gltf.browser.js',
  'gltf-core.js',
  'gltf-library.js',
  'gltf-extensions.js',
  'index.browser.js',
  'engine.js',
  'worker.browser.js',
  'kernel.wasm',
  'studio.bin',
  'png-decoder.js',
  'jpeg-decoder.js',
  'sample.glb',
];

function copyLiveFiles({ outDir }) {
  // `npm run playground:build` makes it: `vitepress build` alone has no playground.
  const playground = new URL('build/playground/', ROOT);
  if (existsSync(playground)) cpSync(playground, join(outDir, 'playground'), { recursive: true });
  if (!existsSync(new URL('build/view.js', ROOT))) {
    console.warn('The live example of guides/view.md has no files: run "npm run build" before');
    return;
  }
  const folder = join(outDir, 'live');
  mkdirSync(folder, { recursive: true });
  for (const name of LIVE) copyFileSync(new URL(`build/${name}`, ROOT), join(folder, name));
}

export default defineConfig({
  title: 'Rasterloom',
  description: 'WebGPU without a GPU, in Node and in browsers, with the same bits everywhere.',
  // Without an icon, browsers ask for a file that is not there.
  head: [['link', { rel: 'icon', href: 'data:,' }]],
  srcDir: fileURLToPath(DOCS),
  outDir: fileURLToPath(new URL('build/docs', ROOT)),
  cacheDir: fileURLToPath(new URL('build/docs-cache', ROOT)),
  // The site may be served from any folder of any host.
  base: process.env.DOCS_BASE ?? '/',
  cleanUrls: false,
  lastUpdated: false,
  markdown: { config: linkToRepository },
  vue: { template: { compilerOptions: { isCustomElement: (tag) => tag === 'rasterloom-view' } } },
  buildEnd: copyLiveFiles,
  // `vitepress build` alone has no API reference: `npm run docs` makes it before.
  ignoreDeadLinks: existsSync(new URL('reference/api/', DOCS)) ? false : [/reference\/api\//],
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [
      { text: 'Guides', link: '/guides/getting-started' },
      { text: 'Features', link: '/features/framebuffer-fetch' },
      { text: 'Reference', link: '/reference/options' },
      { text: 'Internals', link: '/internals/architecture' },
      { text: 'Glossary', link: '/glossary' },
      { text: 'Playground', link: '/playground/index.html', target: '_self' },
    ],
    sidebar: [
      ...Object.keys(TITLES).map((section) => ({
        text: TITLES[section],
        collapsed: section !== 'guides',
        items: pagesOf(section),
      })),
      { text: 'Glossary', link: '/glossary' },
    ],
    socialLinks: [{ icon: 'github', link: REPOSITORY }],
  },
});
