// Geometry of the oracle: triangles are set up one at a time, each with its edges, whether or not it covers a sample.
import { Geometry } from '../layout';
import { geometryRunBy } from '../vertex/geometry';

class Edges {}

/** geometryRun, for draw calls without index ranges. */
export function geometryRunOracle(geometry: Geometry, batches: i32): i32 {
  return geometryRunBy<Edges>(geometry, batches);
}
