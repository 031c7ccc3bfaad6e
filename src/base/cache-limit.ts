/** Bytes of the records of the shader cache, by default. Those of a material of three.js take about 40 KB. */
export const DEFAULT_CACHE_BYTES = 64 << 20;
