// What a worker of a page runs: a device's share of the work.
import { serve, type WorkerOrder, type WorkerReport } from './schedule';

const say = (report: WorkerReport): void => postMessage(report);
onmessage = ({ data }: MessageEvent<WorkerOrder>) => serve(data, say);
