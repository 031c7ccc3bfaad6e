// The benchmark: scenes on this package with several options, and on the browser's own WebGPU, drawn as bars.
import { sceneById } from '../scenes';
import type { BenchRequest, BenchResponse, Contender } from '../worker/bench';
import { byId, make } from './elements';
import { DEFAULTS, isIsolated } from './state';

const SCENES = ['solids', 'texture', 'march', 'particles'] as const;
const LIMIT_MS = 60_000;

interface Row {
  readonly name: string;
  readonly contender: Contender | null;
  readonly needsIsolation?: true;
}

const { threads } = DEFAULTS;
const all = { engine: 'jit', simd: true, threads } as const;
const many = isIsolated ? `${threads} thread${threads === 1 ? '' : 's'}` : 'no threads';
const ROWS: readonly Row[] = [
  { name: `SIMD, ${many}`, contender: all },
  { name: 'SIMD, 1 thread', contender: { ...all, threads: 1 }, needsIsolation: true },
  { name: `Interpreted, SIMD, ${many}`, contender: { ...all, engine: 'interpreter' } },
  {
    name: `Interpreted, scalar, ${many}`,
    contender: { ...all, engine: 'interpreter', simd: false },
    needsIsolation: true,
  },
  { name: 'The browser’s own WebGPU', contender: null },
];

/** Each measurement has a worker of its own, which ends afterwards. */
function measure(request: BenchRequest): Promise<BenchResponse> {
  const worker = new Worker(new URL('../worker/bench.ts', import.meta.url), { type: 'module' });
  const answer = new Promise<BenchResponse>((settle) => {
    worker.onmessage = ({ data }: MessageEvent<BenchResponse>) => settle(data);
    worker.onerror = ({ message }) => settle({ error: message || 'the worker could not be loaded' });
    setTimeout(() => settle({ error: `there was no result within ${LIMIT_MS / 1000} seconds` }), LIMIT_MS);
    worker.postMessage(request);
  });
  return answer.finally(() => worker.terminate());
}

interface Bar {
  readonly row: Row;
  readonly element: HTMLElement;
  readonly track: HTMLElement;
  ms: number | null;
}

/** Draws the bars of a scene; the longest one fills the track. */
function draw(bars: readonly Bar[]): void {
  const most = Math.max(...bars.map(({ ms }) => ms ?? 0));
  const first = bars[0]!.ms;
  for (const { ms, track } of bars) {
    if (ms === null) continue;
    const fill = make('div', { className: 'fill' });
    fill.style.width = `${Math.max(0.5, (ms / most) * 62)}%`;
    const factor = first !== null && ms !== first ? ` · ${(ms / first).toFixed(2)}×` : '';
    track.replaceChildren(fill, make('span', {}, `${ms.toFixed(ms < 10 ? 2 : 1)} ms${factor}`));
  }
}

async function measureScene(id: string, status: HTMLElement): Promise<void> {
  const rows = ROWS.filter(({ needsIsolation }) => isIsolated || !needsIsolation);
  const bars = rows.map((row): Bar => {
    const track = make('div', { className: 'track pending' }, 'waits');
    const element = make('li', {}, make('span', {}, row.name), track);
    element.classList.toggle('other', row.contender === null);
    return { row, element, track, ms: null };
  });
  const { title } = sceneById(id)!;
  byId('results').append(
    make('section', {}, make('h3', {}, title), make('ol', {}, ...bars.map(({ element }) => element)))
  );
  for (const bar of bars) {
    status.textContent = `${title}: ${bar.row.name} …`;
    bar.track.textContent = 'runs …';
    const result = await measure({ scene: id, contender: bar.row.contender });
    bar.track.classList.remove('pending');
    if ('ms' in result) {
      bar.ms = result.ms;
      if (bar.row.contender === null) bar.element.firstElementChild!.textContent = `${bar.row.name}: ${result.device}`;
      draw(bars);
    } else bar.track.textContent = 'absent' in result ? `not measured: ${result.absent}` : result.error;
  }
}

/** @param onStart pauses what else takes time */
export function setUpBenchmark(onStart: () => void): void {
  const button = byId<HTMLButtonElement>('measure');
  const status = byId('measuring');
  button.addEventListener('click', async () => {
    onStart();
    button.disabled = true;
    byId('results').replaceChildren();
    for (const id of SCENES) await measureScene(id, status);
    status.textContent = 'Done';
    button.disabled = false;
    button.textContent = 'Run it again';
  });
}
