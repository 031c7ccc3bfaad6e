/**
 * Runs web pages in Node, and takes pictures of their canvases:
 *
 *     import { runPage } from 'rasterloom/page';
 *     const { pictures } = await runPage('index.html', { frames: [60] });
 *     writeFileSync('page.png', pictures[0].bytes);
 *
 * The package happy-dom parses the page. Scripts run with the rights of the process: run only pages that you trust.
 */
import { readFileSync, realpathSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import { checkedOptions, type RunPageOptions } from './options';
import { ORIGIN, type PageNews, type PageOrder, type PagePicture } from './order';

export type { RunPageOptions } from './options';
export type { PageAction, PagePicture } from './order';

/** What a page has drawn and reported. */
export interface PageResult {
  /** One picture for each of `frames`. */
  readonly pictures: readonly PagePicture[];
  /** Errors that the page did not catch, with their stacks. */
  readonly errors: readonly string[];
  /** Paths of files in the folder that the page asked for, and that do not exist. */
  readonly missing: readonly string[];
}

/** Why a page could not be run. */
export type PageFailure = 'input' | 'package' | 'script' | 'canvas' | 'timeout';

/** A page that could not be run, or has drawn nothing. */
export class PageError extends Error {
  override readonly name = 'PageError';
  /** The cause: the page or its folder, the package for documents, its scripts, its canvas, or the time limit. */
  readonly code: PageFailure;
  /** What the page had reported until then. */
  readonly result: PageResult;

  constructor(code: PageFailure, message: string, result: PageResult = { pictures: [], errors: [], missing: [] }) {
    super(message);
    this.code = code;
    this.result = result;
  }
}

/** Returns the URL of happy-dom, as the package, the page or the working folder sees it. */
function findDom(folder: string): string {
  for (const from of [fileURLToPath(import.meta.url), join(folder, 'page'), join(process.cwd(), 'page')])
    try {
      return pathToFileURL(createRequire(from).resolve('happy-dom')).href;
    } catch {
      // Not installed there.
    }
  throw new PageError('package', 'runPage: the page needs a document; install happy-dom: npm install happy-dom');
}

function readPage(page: string, root: string | undefined): Pick<PageOrder, 'url' | 'html' | 'folder'> {
  const input = (message: string, cause?: unknown): PageError =>
    Object.assign(new PageError('input', `runPage: ${message}`), { cause });
  let path: string;
  let html: string;
  try {
    path = realpathSync(page);
    html = readFileSync(path, 'utf8');
  } catch (error) {
    throw input(`the page ${page} cannot be read: ${(error as Error).message}`, error);
  }
  const wanted = resolve(root ?? dirname(path));
  if (statSync(wanted, { throwIfNoEntry: false })?.isDirectory() !== true) throw input(`${wanted} is not a folder`);
  const folder = realpathSync(wanted);
  const way = relative(folder, path);
  if (way.startsWith(`..${sep}`) || isAbsolute(way)) throw input(`the page ${page} is outside the folder ${folder}`);
  const url = new URL(way.split(sep).map(encodeURIComponent).join('/'), `${ORIGIN}/`).href;
  return { url, html, folder };
}

/**
 * Runs a page in a thread of its own, with virtual time: `Date`, timers and frames advance by 1/60 s per frame, and
 * stand still while something is loading. `Math.random` begins with a seed. Two runs therefore give the same pictures.
 *
 * @param page path of an HTML file
 * @throws TypeError or RangeError for wrong options; PageError if the page cannot be run
 */
export async function runPage(page: string, options: RunPageOptions = {}): Promise<PageResult> {
  const { root, timeoutMs, ...settings } = checkedOptions(options);
  const place = readPage(page, root);
  const own = (name: string): string => new URL(name, import.meta.url).href;
  const order: PageOrder = {
    ...place,
    ...settings,
    modules: {
      rasterloom: own('./index.js'),
      time: own('./virtual-time.js'),
      hooks: own('./page-hooks.js'),
      dom: findDom(place.folder),
    },
  };
  return runInThread(page, order, timeoutMs);
}

/** The line of an error's text that says what it is. Classic scripts have their place before it. */
function messageLine(text: string): string {
  const lines = text.split('\n');
  return lines.find((line) => /^(Uncaught )?\w*(Error|Exception)\b/.test(line)) ?? lines[0]!;
}

function runInThread(page: string, order: PageOrder, timeoutMs: number): Promise<PageResult> {
  const pictures: PagePicture[] = [];
  const errors: string[] = [];
  const missing = new Set<string>();
  const result = (): PageResult => ({ pictures, errors, missing: [...missing] });
  return new Promise((done, failed) => {
    const script = new URL('./page-worker.js', import.meta.url);
    const worker = new Worker(script, { workerData: order, execArgv: [], stdout: true });
    // Standard output may be a picture.
    worker.stdout.pipe(process.stderr, { end: false });
    let state = 'before its scripts ran';
    const fail = (code: PageFailure, message: string): void => {
      clearTimeout(timer);
      failed(new PageError(code, `runPage: ${message}`, result()));
      void worker.terminate();
    };
    const timer = setTimeout(
      () => fail('timeout', `the page ${page} took more than ${timeoutMs} ms; it was stopped ${state}`),
      timeoutMs
    );
    worker.on('message', (news: PageNews) => {
      if (news.kind === 'state') state = news.text;
      else if (news.kind === 'error') errors.push(news.text);
      else if (news.kind === 'missing') missing.add(decodeURIComponent(new URL(news.url).pathname));
      else if (news.kind === 'picture') pictures.push(news.picture);
      else if (news.kind === 'no-canvas') {
        const [first] = errors;
        if (first === undefined) fail('canvas', news.text);
        else fail('script', `the page ${page} failed: ${messageLine(first)}`);
      } else {
        clearTimeout(timer);
        if (pictures.length < order.frames.length)
          fail('script', `the page ${page} failed: ${messageLine(errors[0] ?? state)}`);
        else done(result());
      }
    });
    worker.on('error', (error) => fail('script', `the page ${page} failed: ${error.message}`));
    worker.on('exit', () => fail('script', `the page ${page} ended its thread ${state}`));
  });
}
