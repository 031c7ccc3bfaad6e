// What a worker thread of Node runs: one device after the other.
import { parentPort } from 'node:worker_threads';
import { serve, type WorkerOrder, type WorkerReport } from './schedule';

const say = (report: WorkerReport): void => parentPort!.postMessage(report);
parentPort!.on('message', (order: WorkerOrder) => {
  serve(order, say);
  say({ kind: 'left' });
});
