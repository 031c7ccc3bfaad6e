// The decoder of meshoptimizer's data. The build makes a file of its own of this module, which is loaded on demand.
export { MeshoptDecoder } from 'meshoptimizer/decoder';
