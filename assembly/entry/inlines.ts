// The build that emitted modules take their mathematics from.
export * from '../warp/inlines';
