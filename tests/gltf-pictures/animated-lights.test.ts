// Lights that are too bright, in an animation.
import { describe, expect, it } from 'vitest';
import { LINEAR16 } from '../../src/gltf/images/colour';
import { DEFAULT_LIGHT } from '../../src/gltf/light/settings';
import { DEFAULT_PROJECTION } from '../../src/gltf/scene/camera';
import { draw } from './kit';
import { Stage } from './stage';

/** A floor below a light that rises from 6 to 12 units in a second, and that is far too bright. */
function model(): Promise<Uint8Array> {
  const stage = new Stage();
  stage.plate(
    { middle: [0, 0, 0], u: [0, 0, 4], v: [4, 0, 0] },
    stage.material().setBaseColorFactor([0.1, 0.1, 0.1, 1])
  );
  const node = stage.light({ type: 'point', intensity: 1e6, position: [0, 6, 0] });
  const sampler = stage.document
    .createAnimationSampler()
    .setInput(stage.accessor('SCALAR', new Float32Array([0, 1])))
    .setOutput(stage.accessor('VEC3', new Float32Array([0, 6, 0, 0, 12, 0])));
  const channel = stage.document.createAnimationChannel().setTargetNode(node).setTargetPath('translation');
  stage.document.createAnimation('rise').addSampler(sampler).addChannel(channel.setSampler(sampler));
  return stage.glb();
}

describe('lights that are too bright', () => {
  it.each([true, false])('are dimmed by the same factor at all moments, shadows: %s', async (shadows) => {
    const bytes = await model();
    const size = 33;
    const brightness = async (time: number): Promise<number> => {
      const pixels = await draw(bytes, {
        width: size,
        height: size,
        lit: false,
        view: { lookAt: { eye: [0, 10, 0], target: [0, 0, 0] } },
        projection: { ...DEFAULT_PROJECTION, orthographic: true },
        choice: { moment: { animation: undefined, time } },
        light: { ...DEFAULT_LIGHT, toneMapping: 'linear', shadowSize: shadows ? 256 : undefined },
      });
      return LINEAR16[pixels[4 * ((size * size - 1) / 2)]];
    };
    const [near, far] = [await brightness(0), await brightness(0.5)];
    // By the square of 9 / 6.
    expect(near / far).toBeGreaterThan(2.25 * 0.95);
    expect(near / far).toBeLessThan(2.25 * 1.05);
  });
});
