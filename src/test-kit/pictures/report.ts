// The report of pictures that differ: a folder with the pictures, and a page that shows them with a slider. Test
// runners have many processes, so each difference is a file of its own, and the page is made of all of them.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';

/** Folder of the report, unless the environment variable RASTERLOOM_PICTURE_REPORT names another one. */
const FOLDER = 'picture-report';

/** A picture that differs from its baseline. */
interface ReportEntry {
  readonly name: string;
  readonly testFile: string;
  readonly message: string;
  readonly files: { readonly actual: string; readonly baseline?: string; readonly difference?: string };
}

/** Paths of the pictures of one comparison; those that exist were written. */
interface ReportedFiles {
  readonly actual: string;
  readonly baseline: string;
  readonly difference: string;
  readonly page: string;
}

const folderNow = (): string => resolve(process.env.RASTERLOOM_PICTURE_REPORT || FOLDER);

/** Writes a file so that other processes see all of it or nothing. */
export function writeWhole(path: string, content: Uint8Array | string): void {
  const part = `${path}.${process.pid}.part`;
  writeFileSync(part, content);
  renameSync(part, path);
}

/** The start of the names of a picture's files, different for each baseline. */
function keyOf(baseline: string): string {
  const path = relative(process.cwd(), baseline);
  const readable = path.replace(/\.png$/, '').replace(/[^\w.-]+/g, '-');
  return `${readable.slice(-60)}-${createHash('sha256').update(path).digest('hex').slice(0, 8)}`;
}

/** Adds a difference. @param files the pictures as PNG files @returns where they are */
export function reportDifference(
  baseline: string,
  entry: Omit<ReportEntry, 'files'>,
  files: { actual: Uint8Array; baseline?: Uint8Array; difference?: Uint8Array }
): ReportedFiles {
  const folder = folderNow();
  mkdirSync(folder, { recursive: true });
  const key = keyOf(baseline);
  const names: Record<string, string> = {};
  for (const [kind, bytes] of Object.entries(files)) {
    names[kind] = `${key}-${kind}.png`;
    writeWhole(join(folder, names[kind]), bytes);
  }
  writeWhole(join(folder, `${key}.json`), JSON.stringify({ ...entry, files: names }));
  writePage(folder);
  const path = (kind: string): string => join(folder, `${key}-${kind}.png`);
  return {
    actual: path('actual'),
    baseline: path('baseline'),
    difference: path('difference'),
    page: join(folder, 'index.html'),
  };
}

/** Removes what an earlier run reported about a baseline. */
export function forgetDifference(baseline: string): void {
  const folder = folderNow();
  const key = keyOf(baseline);
  if (!existsSync(join(folder, `${key}.json`))) return;
  for (const name of ['.json', '-actual.png', '-baseline.png', '-difference.png'])
    rmSync(join(folder, key + name), { force: true });
  writePage(folder);
}

function writePage(folder: string): void {
  const entries = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => {
      try {
        return [JSON.parse(readFileSync(join(folder, name), 'utf8')) as ReportEntry];
      } catch {
        // Another process has just removed it.
        return [];
      }
    });
  writeWhole(join(folder, 'index.html'), pageOf(entries));
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (mark) => `&#${mark.charCodeAt(0)};`);

const STYLE = `body{font:15px system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem;color:#222}
section{border-top:1px solid #ccc;padding:1rem 0}pre{white-space:pre-wrap;font-size:13px}
.slide{position:relative;display:inline-block;background:repeating-conic-gradient(#ddd 0 25%,#fff 0 50%) 0/16px 16px}
img{image-rendering:pixelated;min-width:128px;max-width:100%;display:block}.slide img+img{position:absolute;top:0;
left:0;clip-path:inset(0 0 0 var(--at,50%))}figure{display:inline-block;margin:0 1rem 1rem 0;vertical-align:top}
input{width:100%;display:block}`;

function pageOf(entries: readonly ReportEntry[]): string {
  const image = (file: string | undefined, alt: string): string =>
    file === undefined ? '' : `<img src="${encodeURIComponent(file)}" alt="${alt}">`;
  const figure = (file: string | undefined, title: string): string =>
    file === undefined ? '' : `<figure>${image(file, title)}<figcaption>${title}</figcaption></figure>`;
  const slider = ({ actual, baseline }: ReportEntry['files']): string =>
    baseline === undefined
      ? figure(actual, 'actual')
      : `<figure><div class="slide">${image(baseline, 'baseline')}${image(actual, 'actual')}</div>`
        + '<input type="range" value="50" aria-label="baseline left, actual right" '
        + "oninput=\"this.previousElementSibling.style.setProperty('--at',this.value+'%')\">"
        + '<figcaption>baseline left, actual right</figcaption></figure>';
  const sections = entries.map(
    ({ name, testFile, message, files }) =>
      `<section><h2>${escaped(name)}</h2><p>${escaped(testFile)}</p><pre>${escaped(message)}</pre>`
      + `${slider(files)}${figure(files.difference, 'difference')}</section>`
  );
  const count = entries.length === 1 ? '1 picture differs' : `${entries.length} pictures differ`;
  return (
    `<!doctype html><meta charset="utf-8"><title>${count}</title><style>${STYLE}</style>`
    + `<h1>${count}</h1>${sections.join('\n')}\n`
  );
}
