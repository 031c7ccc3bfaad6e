// The twin's name for texture loads, whose one body has no v128.
export { loadWarp as loadWarpScalar } from './load';
