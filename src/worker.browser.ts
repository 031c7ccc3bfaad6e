// Entry point of a worker in a browser: runs a device's work on another thread.
import { serve, type WorkerOrder, type WorkerReport } from './schedule';

const say = (report: WorkerReport): void => postMessage(report);
onmessage = ({ data }: MessageEvent<WorkerOrder>) => serve(data, say);
