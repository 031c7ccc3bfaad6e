// Babylon.js in Node, with the unmodified npm packages: `npm install rasterloom @babylonjs/core @babylonjs/loaders`,
// then `node babylon.mjs` writes babylon.png: a textured glTF model with shadows.
import { readFileSync, writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const {
  ArcRotateCamera,
  DirectionalLight,
  HemisphericLight,
  ImportMeshAsync,
  Scene,
  ShadowGenerator,
  Vector3,
  WebGPUEngine,
} = await import('@babylonjs/core/index.js');
await import('@babylonjs/loaders/glTF/index.js');
const canvas = createCanvas(640, 360);
const engine = new WebGPUEngine(canvas, { antialias: true });
await engine.initAsync();

const scene = new Scene(engine);
new ArcRotateCamera('camera', -1.2, 1, 8, Vector3.Zero(), scene);
new HemisphericLight('sky', Vector3.Up(), scene).intensity = 0.4;
const sun = new DirectionalLight('sun', new Vector3(-1, -2, -0.5), scene);
sun.position = new Vector3(4, 8, 2);
sun.intensity = 3;
const shadows = new ShadowGenerator(1024, sun);
shadows.usePercentageCloserFiltering = true;

const file = new Uint8Array(readFileSync('node_modules/rasterloom/build/sample.glb'));
const { meshes } = await ImportMeshAsync(file, scene, { pluginExtension: '.glb' });
for (const mesh of meshes) {
  shadows.addShadowCaster(mesh);
  mesh.receiveShadows = true;
}
await scene.whenReadyAsync();
engine.beginFrame();
scene.render();
engine.endFrame();
writeFileSync('babylon.png', await canvas.toPNG());
engine.dispose();
