// UNIT: the load/store unit of one worker's tile context (CTX_UNIT): what its surface accesses did wrong, for the host to report.

/** How many accesses were faults. */
export const UNIT_FAULTS = 0;
/** The one kept: FAULT_*, the SURFACE record, coordinates, mask of samples. */
export const UNIT_FAULT_KIND = 4;
export const UNIT_FAULT_SURFACE = 8;
export const UNIT_FAULT_X = 12;
export const UNIT_FAULT_Y = 16;
export const UNIT_FAULT_MASK = 20;
export const UNIT_BYTES = 64;

export const FAULT_COORDINATES = 1;
export const FAULT_EMPTY = 2;
export const FAULT_SAMPLES = 3;
