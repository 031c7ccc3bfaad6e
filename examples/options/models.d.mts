/** A robot of 1.9 units, which looks to +Z. @param stage whether it stands on a stage @returns a .glb file */
export function makeRobot(options?: { stage?: boolean }): Promise<Uint8Array<ArrayBuffer>>;

/** A curve on a torus, of lines, and points on it. @returns a .glb file */
export function makeCurve(): Promise<Uint8Array<ArrayBuffer>>;
