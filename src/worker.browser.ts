// What a worker of a page runs: one device after the other.
import { serve, type WorkerOrder, type WorkerReport } from './schedule';

const say = (report: WorkerReport): void => postMessage(report);
onmessage = ({ data }: MessageEvent<WorkerOrder>) => {
  serve(data, say);
  say({ kind: 'left' });
};
