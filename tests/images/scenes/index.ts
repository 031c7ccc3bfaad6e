// All image scenes by name.
import { depth } from './depth';
import { dimensions } from './dimensions';
import { formats } from './formats';
import { interpolation } from './interpolation';
import { output } from './output';
import { raster } from './raster';
import { shading } from './shading';
import { texture } from './texture';
import { topology } from './topology';
import { vertex } from './vertex';
import type { Scene } from './kit';

export { SIZE, allCounts, openDevice, render } from './kit';
export type { Scene } from './kit';

export const scenes: Record<string, Scene> = {
  ...raster,
  ...interpolation,
  ...vertex,
  ...texture,
  ...shading,
  ...depth,
  ...output,
  ...dimensions,
  ...formats,
  ...topology,
};
