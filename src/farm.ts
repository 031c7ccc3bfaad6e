/**
 * Many pictures in warm processes of one machine, and on many machines with a queue in Redis:
 *
 *     import { renderMany } from 'rasterloom/farm';
 *     const jobs = [{ input: 'model.glb', output: 'model.png', size: '512x512' }];
 *     for await (const result of renderMany(jobs, { concurrency: 2 })) console.log(result);
 */
export type { FarmCode } from './farm/codes';
export {
  FarmQueue,
  type FailedFilter,
  type FailedJob,
  type FarmQueueOptions,
  type QueueStatus,
} from './farm/queue/admin';
export type { RedisAddress } from './farm/queue/connection';
export { QueueError, type QueueErrorCode } from './farm/queue/errors';
export type { QueueCode } from './farm/queue/failures';
export { FarmProducer } from './farm/queue/farm-producer';
export { createFarmWorker, type FarmWorker, type FarmWorkerOptions } from './farm/queue/farm-worker';
export type { QueuedResult } from './farm/queue/result';
export type { FlowStatus } from './farm/queue/flows/flow-status';
export type { QueueCounts } from './farm/queue/queues';
export type { FlowJob, QueueJob } from './farm/queue/prepare';
export type {
  Added,
  AddOptions,
  ProducerOptions,
  QueueFailure,
  QueueOutcome,
  QueueSuccess,
} from './farm/queue/producer';
export type { KeepOptions, WorkerReport } from './farm/queue/worker';
export { renderMany } from './farm/render-many';
export type { Listening } from './farm/listen';
export { StorageError } from './farm/storage/errors';
export type { S3Options, StorageErrorCode } from './farm/storage/types';
export { serveStatus, type StatusPageOptions } from './farm/status/serve-status';
export type { StatusJob, StatusQueue, StatusSource } from './farm/status/types';
export * from './farm/telemetry/events';
export { serveHealth, type HealthOptions } from './farm/telemetry/health';
export { logFarm } from './farm/telemetry/log';
export { observeFarm } from './farm/telemetry/opentelemetry';
export type * from './farm/types';
export { WarmPool, type TryOptions } from './farm/warm-pool';
