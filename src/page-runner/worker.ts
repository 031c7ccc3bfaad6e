// The thread that runs a page: its document, its scripts, frames of virtual time, and pictures of its canvas.
import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { defineLayout } from './layout';
import { ORIGIN, type HookData, type PageAction, type PageNews, type PageOrder } from './order';
import { PageScripts, type ScriptElement } from './scripts';

type Rasterloom = typeof import('../index');
type TimeModule = typeof import('../virtual-time');
type Time = import('../virtual-time').VirtualTime;
interface PageWindow {
  readonly document: Document & { write(html: string): void };
}
interface Dom {
  readonly Window: new (options: object) => PageWindow;
}
/** Members that Rasterloom adds to canvases. */
interface PageCanvas extends HTMLCanvasElement {
  convertToBlob(options: object): Promise<Blob>;
  getPixels(): Promise<ImageData>;
}

const order = workerData as PageOrder;
const tell = (news: PageNews, transfer: ArrayBuffer[] = []): void => parentPort!.postMessage(news, transfer);
const describe = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : `uncaught value: ${String(error)}`;
const onError = (error: unknown): void => tell({ kind: 'error', text: describe(error) });
/** Taken before the clock is replaced. */
const { setImmediate: later, setInterval: repeat, setTimeout: startTimer } = globalThis;

/** Modules that the loader is loading, and how many loads have begun; its thread writes them. */
const loading = new Int32Array(new SharedArrayBuffer(8));
/** Turns of the event loop after which an imported module has run. */
const TURNS = 3;
/**
 * Turns of at least a millisecond without a load after which a script is assumed to await a frame or a timer at its top
 * level. Turns are counted, because a script that computes for long has not been idle.
 */
const IDLE_TURNS = 1500;
/** Real milliseconds between reports of what the page waits for, and the most loads that one names. */
const NEWS_MS = 1000;
const MOST_NAMES = 5;

/** Resolves when the loader is idle, or immediately if it has been for some turns. */
async function modulesLoaded(): Promise<void> {
  for (let quiet = 0, seen = -1; quiet < TURNS; quiet++) {
    const begun = Atomics.load(loading, 1);
    if (Atomics.load(loading, 0) > 0 || begun !== seen) quiet = -1;
    seen = begun;
    await new Promise((done) => void later(done));
  }
}

/** Resolves when nothing has been loaded for IDLE_TURNS, or when `ended` is settled. */
async function idle(time: Time, ended: Promise<unknown>): Promise<void> {
  let isEnded = false;
  void ended.finally(() => {
    isEnded = true;
  });
  for (let quiet = 0; !isEnded && quiet < IDLE_TURNS; quiet++) {
    if (Atomics.load(loading, 0) > 0 || time.pendingLoads.length > 0) quiet = 0;
    await new Promise((done) => void startTimer(done, 1));
  }
}

/** What the page is doing, for the message when its time is up. */
let phase = '';
function enter(text: string): void {
  phase = text;
  tell({ kind: 'state', text });
}

/** What a message adds about the loads that are pending. */
function waitingFor(time: Time): string {
  const names = [...time.pendingLoads];
  const modules = Atomics.load(loading, 0);
  if (modules > 0) names.push(modules === 1 ? 'a module' : `${modules} modules`);
  return names.length === 0 ? '' : `; it waited for ${names.slice(0, MOST_NAMES).join(', ')}`;
}

/** Canvases with a context, in the order in which they got it, with its kind. */
const drawn = new Map<PageCanvas, string>();
function recordContexts(): void {
  const prototype = HTMLCanvasElement.prototype as unknown as { getContext(...values: unknown[]): unknown };
  const { getContext } = prototype;
  prototype.getContext = function (this: PageCanvas, ...values: unknown[]): unknown {
    const context = getContext.apply(this, values);
    if (context !== null) drawn.set(this, String(values[0]));
    return context;
  };
}

/**
 * Returns the canvas of the picture: the one of the selector, or else the largest that the page draws to. Those of
 * WebGPU come first, because panels draw their diagrams by 2D contexts.
 */
function findCanvas(): PageCanvas | string {
  const { selector } = order;
  if (selector !== null) {
    const found = document.querySelector<PageCanvas>(selector);
    if (found === null) return `no element of the page matches ${selector}`;
    return found.localName === 'canvas' ? found : `the element that ${selector} matches is no canvas`;
  }
  const area = ({ width, height }: PageCanvas): number => width * height;
  const connected = [...drawn].filter(([canvas]) => canvas.isConnected);
  const rank = ([, kind]: [PageCanvas, string]): number => (kind === 'webgpu' ? 0 : 1);
  const [largest] = connected.sort((a, b) => rank(a) - rank(b) || area(b[0]) - area(a[0]));
  if (largest !== undefined) return largest[0];
  if (drawn.size > 0) return 'the canvases that the page draws to are not part of its document; it may have failed';
  return 'the page has no canvas that it draws to; WebGPU and 2D contexts are supported, WebGL is not';
}

async function takePicture(frame: number): Promise<boolean> {
  const canvas = findCanvas();
  if (typeof canvas === 'string') {
    tell({ kind: 'no-canvas', text: canvas });
    return false;
  }
  const { data, width, height } = await canvas.getPixels();
  const words = new Uint32Array(data.buffer);
  const isBlank = words.every((word) => word === words[0]);
  const blob = await canvas.convertToBlob({ type: order.type });
  const bytes = new Uint8Array(await blob.arrayBuffer());
  tell({ kind: 'picture', picture: { frame, width, height, bytes, isBlank } }, [bytes.buffer]);
  return true;
}

function sendClick(x: number, y: number): void {
  const canvas = findCanvas();
  const target: EventTarget = typeof canvas === 'string' ? document.body : canvas;
  const init = { clientX: x, clientY: y, bubbles: true, cancelable: true };
  const pointer = { ...init, pointerId: 1, pointerType: 'mouse', isPrimary: true };
  for (const type of ['move', 'down', 'up'] as const) {
    const buttons = type === 'down' ? 1 : 0;
    target.dispatchEvent(new PointerEvent(`pointer${type}`, { ...pointer, buttons }));
    target.dispatchEvent(new MouseEvent(`mouse${type}`, { ...init, buttons }));
  }
  target.dispatchEvent(new MouseEvent('click', init));
}

async function act(action: PageAction): Promise<void> {
  if (action.kind === 'click') sendClick(action.x, action.y);
  else if (action.kind === 'script') await import(pathToFileURL(action.file).href);
  else
    for (const type of ['keydown', 'keyup'])
      document.body.dispatchEvent(new KeyboardEvent(type, { key: action.key, code: action.key, bubbles: true }));
}

/** Draws frames up to a number. An exception of a callback does not end the page, as in browsers. */
async function advanceTo(time: Time, frame: number): Promise<void> {
  while (time.frame < frame) {
    await modulesLoaded();
    await time.advanceFrames(1).catch(onError);
    enter(`at frame ${time.frame}`);
  }
}

function openDocument({ Window }: Dom): Document {
  const { document } = new Window({
    url: order.url,
    width: order.width,
    height: order.height,
    settings: { disableJavaScriptFileLoading: true, disableCSSFileLoading: true, disableIframePageLoading: true },
  });
  document.write(order.html);
  return document;
}

/**
 * Lets scripts name elements by their ids:
 * https://html.spec.whatwg.org/multipage/nav-history-apis.html#named-access-on-the-window-object
 */
function nameElements(): void {
  for (const { id } of document.querySelectorAll('[id]')) {
    if (id === '' || id in globalThis) continue;
    const define = (value: unknown): void =>
      void Object.defineProperty(globalThis, id, { value, writable: true, configurable: true });
    Object.defineProperty(globalThis, id, { get: () => document.getElementById(id), set: define, configurable: true });
  }
}

/** Lets the clock wait while a worker is busy. Symbol: SETTLED (src/node/window/web-worker.ts). */
function holdWorkers(time: Time): void {
  const settled = Symbol.for('rasterloom.settled');
  const prototype = Worker.prototype as unknown as Record<symbol, () => Promise<void>> & {
    postMessage(...values: unknown[]): void;
  };
  const { postMessage } = prototype;
  prototype.postMessage = function (this: typeof prototype, ...values: unknown[]): void {
    void time.hold(this[settled]!(), 'a worker');
    postMessage.apply(this, values);
  };
}

/** Runs scripts that the page adds later, such as those of loaders. */
function watchScripts(scripts: PageScripts, time: Time): void {
  const observer = new MutationObserver((changes) => {
    for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes]))
      if ((node as Element).localName === 'script')
        void time.hold(scripts.run(node as unknown as ScriptElement), 'a script');
  });
  observer.observe(document, { childList: true, subtree: true });
}

async function runPage(): Promise<void> {
  const { modules, url, folder, network, threads, fonts, width, height } = order;
  const { install } = (await import(modules.rasterloom)) as Rasterloom;
  const { virtualTime } = (await import(modules.time)) as TimeModule;
  const document = openDocument((await import(modules.dom)) as Dom);
  const onMissing = (missing: string): void => tell({ kind: 'missing', url: missing });
  const resources = { folder, origin: ORIGIN, network, onMissing };
  install({
    document,
    resources,
    platform: 'browser',
    ...(threads !== undefined && { threads }),
    ...(fonts !== undefined && { fonts }),
  });
  Object.assign(globalThis, { innerWidth: width, innerHeight: height });
  recordContexts();
  nameElements();
  defineLayout(folder);
  const time = virtualTime({ seed: order.seed, loadTimeoutMs: 0x7fff_ffff });
  const elements = [...document.querySelectorAll('script')] as unknown as ScriptElement[];
  const scripts = new PageScripts(elements, url, onError);
  const data: HookData = { url, folder, network, inline: scripts.inline, map: scripts.importMap(), loading };
  register(modules.hooks, { data });
  let state: DocumentReadyState = 'loading';
  Object.defineProperty(document, 'readyState', { get: () => state, configurable: true });
  watchScripts(scripts, time);
  holdWorkers(time);
  enter('while its scripts were loading');
  repeat(() => tell({ kind: 'state', text: `${phase}${waitingFor(time)}` }), NEWS_MS);
  // A script may await a frame or a timer at its top level, so that frames are drawn meanwhile.
  const ran = scripts.runAll().then(async () => {
    state = 'interactive';
    document.dispatchEvent(new Event('DOMContentLoaded', { bubbles: true }));
    await time.loaded();
    state = 'complete';
    const loaded = new Event('load');
    dispatchEvent(loaded);
    (globalThis as { onload?: (event: Event) => void }).onload?.(loaded);
  });
  await idle(time, ran);
  enter('before its first frame');
  await drawFrames(time);
}

async function drawFrames(time: Time): Promise<void> {
  const { frames, actions } = order;
  const last = frames.at(-1)!;
  let isDrawn = true;
  for (const frame of frames) {
    if (frame === last && actions.length > 0) {
      await advanceTo(time, Math.max(time.frame, frame - 1));
      for (const action of actions) await act(action);
    }
    await advanceTo(time, frame);
    await modulesLoaded();
    await time.loaded();
    isDrawn &&= await takePicture(frame);
  }
}

process.on('uncaughtException', onError);
process.on('unhandledRejection', onError);
// The module is replaced in a page, which must not find the one of Node.
const { exit } = process;
try {
  await runPage();
} catch (error) {
  onError(error);
}
tell({ kind: 'done' });
later(() => exit(0));
