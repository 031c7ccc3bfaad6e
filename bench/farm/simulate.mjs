// Simulates a farm of 1 to 1,000 workers, to see what limits it first. It is a simulation of discrete events: each job
// passes through Redis (one core, one after another), fetches its input from storage (one shared link), renders on its
// worker's core, and stores its output over the same link. Times are those that capacity.mjs and redis.mjs have
// measured; some jobs are stragglers. Run these two first: `node bench/farm/simulate.mjs --picture farm.svg`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import * as echarts from 'echarts';
import { KEPT, keep } from '../support/machine.mjs';

const { values } = parseArgs({ options: { picture: { type: 'string' } } });
const WORKERS = [1, 10, 100, 1000];
/** Jobs of each worker in a run. */
const JOBS_PER_WORKER = 100;
/** Bytes per second of storage: 10 Gbit/s. */
const LINK = 1.25e9;
/** Milliseconds from a request to storage until its first byte. */
const LATENCY_MS = 20;
/** One job in a hundred takes ten times as long. */
const STRAGGLERS = { part: 0.01, factor: 10 };

const capacity = read('farm-capacity', 'capacity.mjs');
const redis = read('farm-redis', 'redis.mjs');

function read(name, script) {
  const file = fileURLToPath(new URL(`${name}.json`, KEPT));
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'));
  console.error(`${file} is missing: run node bench/farm/${script} first`);
  process.exit(1);
}

/** Numbers in [0, 1) that are the same in every run (mulberry32). */
function randomFrom(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A server that does one thing after another: Redis, or a link. */
class Server {
  freeAt = 0;
  busy = 0;

  /** Returns when work that arrives at a time ends. */
  use(at, ms) {
    this.freeAt = Math.max(this.freeAt, at) + ms;
    this.busy += ms;
    return this.freeAt;
  }
}

/** Events by time, in a binary heap. */
class Events {
  #heap = [];

  push(at, act) {
    const heap = this.#heap;
    let i = heap.push({ at, act }) - 1;
    for (; i > 0 && heap[(i - 1) >> 1].at > heap[i].at; i = (i - 1) >> 1)
      [heap[i], heap[(i - 1) >> 1]] = [heap[(i - 1) >> 1], heap[i]];
  }

  run() {
    const heap = this.#heap;
    while (heap.length > 0) {
      const first = heap[0];
      const last = heap.pop();
      if (heap.length > 0) {
        heap[0] = last;
        for (let i = 0; ;) {
          const [left, right] = [2 * i + 1, 2 * i + 2];
          let least = i;
          if (left < heap.length && heap[left].at < heap[least].at) least = left;
          if (right < heap.length && heap[right].at < heap[least].at) least = right;
          if (least === i) break;
          [heap[i], heap[least]] = [heap[least], heap[i]];
          i = least;
        }
      }
      first.act(first.at);
    }
  }
}

function simulate({ cpuMs, bytes }, workers) {
  const random = randomFrom(workers);
  const server = new Server();
  const link = new Server();
  const events = new Events();
  const total = workers * JOBS_PER_WORKER;
  let [started, ended, rendering, waitForRedis, waitForLink] = [0, 0, 0, 0, 0];
  // Half of what Redis does for a job happens when it starts, half when it ends.
  const redisMs = redis.run.cpuUs / 2000;
  const askRedis = (at, next) => {
    const done = server.use(at, redisMs);
    waitForRedis += done - at - redisMs;
    events.push(done, next);
  };
  const transfer = (at, size, next) => {
    const ms = (size / LINK) * 1000;
    const done = link.use(at, ms);
    waitForLink += done - at - ms;
    events.push(done + LATENCY_MS, next);
  };
  const take = (at) => {
    if (started === total) return;
    started++;
    askRedis(at, (got) =>
      transfer(got, bytes.input, (fetched) => {
        const ms = cpuMs * (random() < STRAGGLERS.part ? STRAGGLERS.factor : 1);
        rendering += ms;
        events.push(fetched + ms, (drawn) =>
          transfer(drawn, bytes.output, (stored) =>
            askRedis(stored, (at) => {
              ended = at;
              take(at);
            })
          )
        );
      })
    );
  };
  for (let i = 0; i < workers; i++) take(0);
  events.run();
  return {
    workers,
    perSecond: total / (ended / 1000),
    // Of the time of all workers.
    rendering: rendering / (ended * workers),
    waitForRedis: waitForRedis / (ended * workers),
    waitForLink: waitForLink / (ended * workers),
    redisBusy: server.busy / ended,
    linkBusy: link.busy / ended,
  };
}

const rows = capacity.rows
  .filter(({ size }) => size === '512x512')
  .flatMap((row) => WORKERS.map((workers) => ({ model: row.model, ...simulate(row, workers) })));
const percent = (part) => `${(part * 100).toFixed(0)} %`;
console.log('| model | workers | pictures/s | of linear | Redis busy | link busy |\n|---|---|---|---|---|---|');
for (const { model, workers, perSecond, redisBusy, linkBusy } of rows) {
  const alone = rows.find((row) => row.model === model && row.workers === 1).perSecond;
  console.log(
    `| ${model} | ${workers} | ${perSecond.toFixed(1)} | ${percent(perSecond / (alone * workers))} `
      + `| ${percent(redisBusy)} | ${percent(linkBusy)} |`
  );
}
if (values.picture !== undefined) writeFileSync(values.picture, draw());
keep('farm-simulation', { link: LINK, latencyMs: LATENCY_MS, stragglers: STRAGGLERS, rows });

/** Pictures per second by the number of workers, as SVG. */
function draw() {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 760, height: 420 });
  const models = [...new Set(rows.map(({ model }) => model))];
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    textStyle: { fontFamily: 'sans-serif' },
    legend: { top: 8 },
    grid: { left: 70, right: 30, top: 50, bottom: 55 },
    xAxis: { type: 'log', name: 'workers', nameLocation: 'middle', nameGap: 30, min: 1, max: 1000 },
    yAxis: { type: 'log', name: 'pictures per second', nameLocation: 'middle', nameGap: 50 },
    series: models.map((name) => ({
      name,
      type: 'line',
      symbolSize: 8,
      data: rows.filter(({ model }) => model === name).map(({ workers, perSecond }) => [workers, perSecond]),
    })),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return `${svg}\n`;
}
