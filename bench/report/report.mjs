// Turns a folder of figures into report.html, a page for readers, and report.svg, its picture for the README.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KEPT } from '../support/machine.mjs';
import { page, picture } from './page.mjs';
import { sections } from './sections.mjs';

const IN_PICTURE = ['peers', 'kernels'];

export function writeReport(folder = KEPT) {
  const names = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .map((file) => file.slice(0, -'.json'.length));
  const results = Object.fromEntries(
    names.map((name) => [name, JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8'))])
  );
  const all = sections(results);
  const svg = picture(all.filter(({ file }) => IN_PICTURE.includes(file)));
  writeFileSync(new URL('report.html', folder), page(all));
  if (svg) writeFileSync(new URL('report.svg', folder), svg);
  console.log(fileURLToPath(new URL('report.html', folder)));
}
