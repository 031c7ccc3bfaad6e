// LSU: the load/store unit of one worker's tile context (CTX_UNIT): what its accesses did wrong, for the host to report.

/** FAULT_* of the access kept, its SURFACE record, pixel and mask of samples; and how many there were (u32). */
export const LSU_FAULT = 28;
export const LSU_FAULT_SURFACE = 32;
export const LSU_FAULT_X = 36;
export const LSU_FAULT_Y = 40;
export const LSU_FAULT_MASK = 44;
export const LSU_FAULTS = 48;
export const LSU_BYTES = 64;

export const FAULT_NONE = 0;
/** Coordinates outside of the surface. */
export const FAULT_OUTSIDE = 1;
/** A mask without samples. */
export const FAULT_EMPTY_MASK = 2;
/** A mask that names samples which the surface does not have. */
export const FAULT_FOREIGN_MASK = 3;
