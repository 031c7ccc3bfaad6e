// `toMatchPicture` for every test runner: finds the baseline, compares, writes and reports.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkPictureOptions, comparePictures, type PictureOptions } from './compare';
import { decodePng, encodeBaseline, hashPixels, recordOf, type Pixels } from './png';
import { readValue } from './read-value';
import { forgetDifference, reportDifference, writeWhole } from './report';

/** CommonJS bundles have no import.meta. */
const here = (import.meta.url as string | undefined) ?? pathToFileURL(__filename).href;
const { version: VERSION } = createRequire(here)('rasterloom/package.json') as { readonly version: string };

/** What a test runner knows about the running test. */
export interface PictureTest {
  readonly testFile: string;
  /** Title of the test, with those around it. */
  readonly title: string;
  /** `all`: writes baselines that are missing or differ; `new`: those that are missing; `none`: none. */
  readonly update: 'all' | 'new' | 'none';
  /** Whether the runner expects that the picture differs. */
  readonly isNot: boolean;
  /** Folder of the baselines of the test file. */
  readonly folder: string;
}

interface MatchResult {
  readonly pass: boolean;
  readonly message: () => string;
  /** What happened to the baseline, for the counts of the runner. */
  readonly baseline: 'added' | 'updated' | 'matched' | 'unmatched';
  /** Paths of the pictures of a difference. */
  readonly files?: { readonly actual: string; readonly expected: string; readonly diff?: string };
}

/** Baselines that tests of this process used: path → the name that the test gave. */
const used = new Map<string, string>();
/** Number of pictures without a name, by test. */
const unnamed = new Map<string, number>();

const shown = (path: string): string => relative(process.cwd(), path);

/** Compares a picture with its baseline. @throws TypeError or RangeError if an argument has a wrong value */
export async function matchPicture(
  given: unknown,
  name: string | undefined,
  options: PictureOptions,
  test: PictureTest
): Promise<MatchResult> {
  checkPictureOptions(options);
  const picture = await readValue(given, options.device);
  const path = baselinePath(name, test);
  const shownName = `Picture "${basename(path, '.png')}"`;
  if (!existsSync(path)) return missing(picture, path, shownName, test);
  const file = readFileSync(path);
  const record = recordOf(file);
  if (record?.pixels === hashPixels(picture)) {
    forgetDifference(path);
    return { pass: true, baseline: 'matched', message: () => `${shownName} equals its baseline ${shown(path)}` };
  }
  const baseline = decodeBaseline(file, path);
  const hasSize = baseline.width === picture.width && baseline.height === picture.height;
  const difference = hasSize ? comparePictures(picture, baseline, options) : undefined;
  if (difference?.isAllowed) {
    forgetDifference(path);
    return { pass: true, baseline: 'matched', message: () => `${shownName} is like its baseline ${shown(path)}` };
  }
  if (test.update === 'all' && !test.isNot) return write('updated', picture, path, shownName);
  const what =
    difference === undefined
      ? `has ${picture.width}×${picture.height} pixels, its baseline ${baseline.width}×${baseline.height}`
      : `differs from its baseline in ${difference.pixels} of ${picture.width * picture.height} pixels; the largest `
        + `difference of a channel is ${difference.largest} of 255`;
  const version =
    record === undefined || record.version === VERSION
      ? ''
      : `\nThe baseline was written by rasterloom ${record.version}, and this is ${VERSION}: see "What may differ `
        + 'between versions" in the documentation';
  const text = `${shownName} ${what}${version}`;
  if (test.isNot) return { pass: false, baseline: 'matched', message: () => text };
  const files = reportDifference(
    path,
    { name: basename(path, '.png'), testFile: shown(test.testFile), message: text },
    {
      actual: encodeBaseline(picture, VERSION),
      baseline: file,
      ...(difference && { difference: encodeBaseline(difference.picture, VERSION) }),
    }
  );
  const lines = [
    text,
    `  baseline    ${shown(path)}`,
    `  actual      ${shown(files.actual)}`,
    ...(difference ? [`  difference  ${shown(files.difference)}`] : []),
    `  report      ${shown(files.page)}`,
    'Run the tests with -u (--update-snapshots in Playwright) to accept the picture',
  ];
  return {
    pass: false,
    baseline: 'unmatched',
    message: () => lines.join('\n'),
    files: { actual: files.actual, expected: files.baseline, ...(difference && { diff: files.difference }) },
  };
}

function missing(picture: Pixels, path: string, name: string, test: PictureTest): MatchResult {
  if (test.isNot) return { pass: true, baseline: 'unmatched', message: () => `${name} has no baseline ${shown(path)}` };
  if (test.update !== 'none') return write('added', picture, path, name);
  const text = `${name} has no baseline ${shown(path)}, and none is written ${
    process.env.CI ? 'in continuous integration (CI is set)' : 'in this mode of the test runner'
  }`;
  const files = reportDifference(
    path,
    { name: basename(path, '.png'), testFile: shown(test.testFile), message: text },
    { actual: encodeBaseline(picture, VERSION) }
  );
  const advice = 'Run the test on your machine, look at the picture and commit it';
  return {
    pass: false,
    baseline: 'unmatched',
    message: () => `${text}\n  actual      ${shown(files.actual)}\n${advice}`,
  };
}

function write(baseline: 'added' | 'updated', picture: Pixels, path: string, name: string): MatchResult {
  mkdirSync(dirname(path), { recursive: true });
  writeWhole(path, encodeBaseline(picture, VERSION));
  forgetDifference(path);
  return { pass: true, baseline, message: () => `${name} was written to ${shown(path)}` };
}

function decodeBaseline(file: Uint8Array, path: string): Pixels {
  try {
    return decodePng(file);
  } catch (error) {
    throw new Error(
      `The baseline ${shown(path)} ${(error as Error).message}; remove it, and run the test to write it again`,
      { cause: error }
    );
  }
}

/** Path of a picture's baseline. Without a name, it has that of the test, and a number from the second one on. */
function baselinePath(name: string | undefined, test: PictureTest): string {
  let own = name;
  if (own === undefined) {
    const key = `${test.testFile} ${test.title}`;
    const count = (unnamed.get(key) ?? 0) + 1;
    unnamed.set(key, count);
    own = count === 1 ? test.title : `${test.title} ${count}`;
  }
  if (typeof own !== 'string' || own.trim() === '')
    throw new TypeError('toMatchPicture: the name must be a string with letters, such as "triangle"');
  const path = join(test.folder, `${fileNameOf(own)}.png`);
  const other = used.get(path);
  if (other !== undefined && other !== own)
    throw new TypeError(
      `toMatchPicture: "${own}" and "${other}" have the same file ${shown(path)}; rename one of them`
    );
  used.set(path, own);
  return path;
}

const fileNameOf = (name: string): string =>
  name
    .replace(/\.png$/, '')
    .replace(/[^\p{L}\p{N}._-]+/gu, '-')
    .replace(/^[-.]+|-+$/g, '')
    .slice(0, 120) || 'picture';

/** Baselines in a folder that tests of this process have used. */
export const usedBaselines = (folder: string): string[] => [...used.keys()].filter((path) => dirname(path) === folder);

/**
 * Baselines of a test file that none of its tests used, after all of them ran. With `update` they are removed.
 *
 * @returns a message for the user; undefined if there are none
 */
export function obsoleteBaselines(
  folder: string,
  update: PictureTest['update'],
  known: ReadonlySet<string> = new Set(used.keys())
): string | undefined {
  if (!existsSync(folder)) return undefined;
  const obsolete = readdirSync(folder)
    .filter((name) => name.endsWith('.png'))
    .map((name) => join(folder, name))
    .filter((path) => !known.has(path));
  if (obsolete.length === 0) return undefined;
  if (update === 'all') for (const path of obsolete) rmSync(path);
  const list = obsolete.map((path) => `  ${shown(path)}`).join('\n');
  return update === 'all'
    ? `Removed baselines that no test uses:\n${list}`
    : `No test uses these baselines; run the tests with -u to remove them:\n${list}`;
}
