// The decoder of meshoptimizer's data. The build makes a separate file of this module, which is loaded on demand.
export { MeshoptDecoder } from 'meshoptimizer/decoder';
