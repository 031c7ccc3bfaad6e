/**
 * Many pictures in warm processes of one machine:
 *
 *     import { renderMany } from 'rasterloom/farm';
 *     const jobs = [{ input: 'model.glb', output: 'model.png', size: '512x512' }];
 *     for await (const result of renderMany(jobs, { concurrency: 2 })) console.log(result);
 */
export type { FarmCode } from './farm/codes';
export { renderMany } from './farm/render-many';
export type { Listening } from './farm/listen';
export { serveStatus, type StatusPageOptions } from './farm/status/serve-status';
export type { StatusJob, StatusQueue, StatusSource } from './farm/status/types';
export * from './farm/telemetry/events';
export { serveHealth, type HealthOptions } from './farm/telemetry/health';
export { logFarm } from './farm/telemetry/log';
export { observeFarm } from './farm/telemetry/opentelemetry';
export type * from './farm/types';
export { WarmPool, type TryOptions } from './farm/warm-pool';
