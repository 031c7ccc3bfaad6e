// Pages like those of a WebGPU gallery: each draws on its own canvases, and some return results.
import { histogram } from './histogram';
import { imageImport } from './image-import';
import { instancedCubes } from './instanced-cubes';
import type { Page } from './kit';
import { lines } from './lines';
import { occlusion } from './occlusion';
import { picking } from './picking';
import { points } from './points';
import { renderBundle } from './render-bundle';
import { severalCanvases } from './several-canvases';
import { shadowMapping } from './shadow-mapping';
import { skybox } from './skybox';
import { texturedCube } from './textured-cube';

/** Pages that run in Node as well. */
export const gallery: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  texturedCube,
  instancedCubes,
  skybox,
  shadowMapping,
  lines,
  points,
  renderBundle,
  imageImport,
  severalCanvases,
  picking,
  occlusion,
  histogram,
};
