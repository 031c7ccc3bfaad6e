// The README, as a registry shows it beside no other file: its links are addresses of the repository, whose files are
// here, or headings of its own.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { checkModule, parseModule } from '../../src/wgsl';
import { simpleMath } from '../wgsl/simple-math';

const ROOT = new URL('../../', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, ROOT), 'utf8');
const { repository, homepage, bugs, files } = JSON.parse(read('package.json')) as {
  repository: { url: string }; homepage: string; bugs: string; files: string[];
};
const REPOSITORY = repository.url.replace(/^git\+|\.git$/g, '');
const PLACES = [`${REPOSITORY}/blob/main/`, `${REPOSITORY.replace('//github.com/', '//raw.githubusercontent.com/')}/main/`];

const withoutCode = (text: string): string => text.replace(/^```[^]*?^```/gm, '').replace(/^ {4}.*$/gm, '');
const linksOf = (text: string): string[] => [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, url]) => url!);
/** As GitHub and npm make them. */
const anchorsOf = (text: string): string[] => [...withoutCode(text).matchAll(/^#+ (.*)$/gm)].map(
  ([, heading]) => `#${heading!.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-')}`
);

/** What is wrong with a link of a file, or nothing. */
function complaint(from: string, link: string): string | undefined {
  const place = PLACES.find((each) => link.startsWith(each));
  if (/^https?:/.test(link) && place === undefined)
    return link.startsWith(REPOSITORY) ? `${link} is at no known place of the repository` : undefined;
  const [path = '', anchor] = (place === undefined ? link : link.slice(place.length)).split('#');
  const file = path === '' ? from : path;
  if (!existsSync(fileURLToPath(new URL(file, ROOT)))) return `${link}: there is no ${file}`;
  return anchor === undefined || anchorsOf(read(file)).includes(`#${anchor}`)
    ? undefined
    : `${link}: ${file} has no such heading`;
}

describe('README.md', () => {
  test('links to what is there', () => {
    const links = linksOf(read('README.md'));
    expect(links.length).toBeGreaterThan(20);
    expect(links.map((link) => complaint('README.md', link)).filter(Boolean)).toEqual([]);
  });

  test('needs no file beside it', () => {
    expect(linksOf(read('README.md')).filter((link) => !/^(https:|#)/.test(link))).toEqual([]);
    expect([homepage, bugs].map((url) => url.startsWith(REPOSITORY))).toEqual([true, true]);
    expect(files).toContain('CHANGELOG.md');
  });

  test('begins with how the package is had, and shows first what a reader of the checkout looks for', () => {
    const first = read('README.md').slice(0, 4500);
    expect(first).toMatch(/^# Rasterloom\n\n {4}npm install rasterloom\n\n!\[/);
    for (const needed of ['npm ci && npm run sample', 'npm test', 'assembly/raster/', 'start at [`src/'])
      expect(first).toContain(needed);
  });

  test('has shaders without errors', () => {
    const shaders = [...read('README.md').matchAll(/^```wgsl\n([^]*?)^```/gm)].map(([, code]) => code!);
    expect(shaders.length).toBeGreaterThan(0);
    for (const code of shaders) {
      const { module, diagnostics } = parseModule(code);
      const features = new Set(['multisample-storage-textures', 'modular-pipelines', 'shading-rate', 'fragment-stages']);
      expect([...diagnostics, ...checkModule(module, simpleMath, features).diagnostics]).toEqual([]);
    }
  });

  test('that would be wrong is found out', () => {
    expect(complaint('README.md', '#nowhere')).toBe('#nowhere: README.md has no such heading');
    expect(complaint('README.md', `${PLACES[0]}gone.md`)).toBe(`${PLACES[0]}gone.md: there is no gone.md`);
    expect(complaint('README.md', `${REPOSITORY}/wiki`)).toBe(`${REPOSITORY}/wiki is at no known place of the repository`);
    expect(complaint('README.md', 'https://www.w3.org/')).toBeUndefined();
  });
});

test('CONTRIBUTING.md links to what is there', () => {
  expect(linksOf(read('CONTRIBUTING.md')).map((link) => complaint('CONTRIBUTING.md', link)).filter(Boolean)).toEqual([]);
});
