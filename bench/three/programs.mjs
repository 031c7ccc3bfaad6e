// Collects the shaders that three.js generates for a scene.
import { globals } from '../../build/index.js';
import { build, openOurs } from './stage.mjs';

/**
 * Returns the texts, the longest first. Leaves out texts with fewer than `least` characters, which are not materials.
 * `parameters`: of the renderer.
 */
export async function programsOf(scene, least, parameters = {}) {
  const { prototype } = globals.GPUDevice;
  const { createShaderModule } = prototype;
  const found = new Set();
  prototype.createShaderModule = function note(descriptor) {
    found.add(descriptor.code);
    return createShaderModule.call(this, descriptor);
  };
  const stage = await openOurs({ width: 32, height: 18, entry: '../../build/index.js', options: { threads: 0 } });
  await (await build({ ...stage, parameters }, scene)).frame(0.5);
  stage.close();
  prototype.createShaderModule = createShaderModule;
  return [...found].filter((code) => code.length > least).sort((a, b) => b.length - a.length);
}
