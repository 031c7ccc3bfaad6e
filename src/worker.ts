// Entry point of a worker thread in Node: runs a device's work on another thread.
import { parentPort } from 'node:worker_threads';
import { serve, type WorkerOrder, type WorkerReport } from './schedule';

const say = (report: WorkerReport): void => parentPort!.postMessage(report);
parentPort!.on('message', (order: WorkerOrder) => serve(order, say));
