// bench/results/*.json → bench/results/report.html, a page for people, and report.svg, the README's picture of it.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { page, picture } from './report/page.mjs';
import { sections } from './report/sections.mjs';

const folder = new URL('./results/', import.meta.url), IN_PICTURE = ['peers', 'kernels'];

export function writeReport() {
  const files = readdirSync(folder).filter((name) => name.endsWith('.json')), results = Object.fromEntries(files.map((name) => [name.slice(0, -'.json'.length), JSON.parse(readFileSync(new URL(name, folder), 'utf8'))]));
  const all = sections(results), svg = picture(all.filter(({ file }) => IN_PICTURE.includes(file)));
  writeFileSync(new URL('report.html', folder), page(all));
  if (svg) writeFileSync(new URL('report.svg', folder), svg);
  console.log(fileURLToPath(new URL('report.html', folder)));
}
