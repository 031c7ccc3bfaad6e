/** A robot of 1.9 units, which looks to +Z. @returns a .glb file */
export function makeRobot(): Promise<Uint8Array<ArrayBuffer>>;

/** A curve on a torus, of lines, and points on it. @returns a .glb file */
export function makeCurve(): Promise<Uint8Array<ArrayBuffer>>;
