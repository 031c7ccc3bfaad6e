// The build from which emitted modules take their mathematics.
export * from '../warp/inlines';
