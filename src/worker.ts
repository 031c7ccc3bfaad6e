// What a worker thread of Node runs: a device's share of the work.
import { parentPort } from 'node:worker_threads';
import { serve, type WorkerOrder, type WorkerReport } from './schedule';

const say = (report: WorkerReport): void => parentPort!.postMessage(report);
parentPort!.on('message', (order: WorkerOrder) => serve(order, say));
