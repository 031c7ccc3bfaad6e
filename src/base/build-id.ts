/** Identifies the compiler that made a record. The build replaces it by a hash of the sources (rollup.config.mjs). */
export const BUILD_ID = 'sources';
