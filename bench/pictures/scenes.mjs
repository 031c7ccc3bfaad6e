// Scenes of engines as scenes of the test kit: `name → scene` for renderScene.
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { existsSync } from 'node:fs';
import { looks } from '../three/looks.mjs';
import { scenes } from '../three/scenes.mjs';
import { build } from '../three/stage.mjs';
import { babylonScenes } from './babylon-scenes.mjs';
import { threeScenes } from './three-scenes.mjs';

/** Where .ci/run installs engines that are no dependencies. */
const ENGINES = fileURLToPath(new URL('../../build/engines/', import.meta.url));
const hasBabylon = existsSync(`${ENGINES}node_modules/@babylonjs/core/package.json`);

/** Draws frames until virtual time is over. */
function animate(time, frame) {
  requestAnimationFrame(function draw(at) {
    requestAnimationFrame(draw);
    void time.hold(frame(0.5 + at / 1000), 'a frame');
  });
}

const ofThree =
  (make) =>
  async ({ canvas, time }) => {
    const THREE = await import('three/webgpu');
    const { frame } = await build({ THREE, canvas, parameters: {} }, make);
    animate(time, frame);
  };

const ofBabylon =
  (make) =>
  async ({ canvas, time }) => {
    const resolved = createRequire(ENGINES).resolve('@babylonjs/core/index.js');
    const B = await import(pathToFileURL(resolved).href);
    B.Logger.LogLevels = B.Logger.WarningLogLevel | B.Logger.ErrorLogLevel;
    const engine = new B.WebGPUEngine(canvas, { antialias: true });
    await engine.initAsync();
    const scene = new B.Scene(engine);
    const camera = new B.ArcRotateCamera('camera', -1.2, 1.2, 5, B.Vector3.Zero(), scene);
    const change = make({ B, scene, camera, engine });
    await time.until(() => scene.isReady() && scene.postProcesses.every((each) => each.isReady()));
    animate(time, async (at) => {
      change?.(at);
      engine.beginFrame();
      scene.render();
      engine.endFrame();
    });
    return () => engine.dispose();
  };

const named = (prefix, list, of) => Object.entries(list).map(([name, make]) => [`${prefix}-${name}`, of(make)]);

/** 73 scenes of three.js, and 23 of Babylon.js if that is installed. */
export const pictures = new Map([
  ...named('three', { ...scenes, ...looks, ...threeScenes }, ofThree),
  ...(hasBabylon ? named('babylon', babylonScenes, ofBabylon) : []),
]);
