// What the main thread needs. Workers import single files, to keep their script small.
export * from './miss-lists';
export { TileParts, WarpByWarp, type Division, type PartRules } from './tile-parts';
export { WaitingWork, type WaitCounts } from './waiting-work';
