// Babylon.js in Node, as it comes from npm: `npm install rasterloom @babylonjs/core`, then `node babylon.mjs` writes
// babylon.png.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const { ArcRotateCamera, HemisphericLight, MeshBuilder, Scene, Vector3, WebGPUEngine } =
  await import('@babylonjs/core/index.js');
const canvas = createCanvas(640, 360);
const engine = new WebGPUEngine(canvas, { antialias: true });
await engine.initAsync();

const scene = new Scene(engine);
new ArcRotateCamera('camera', 0.8, 1.1, 5, Vector3.Zero(), scene);
new HemisphericLight('light', Vector3.Up(), scene);
MeshBuilder.CreateTorusKnot('knot', { radius: 1, tube: 0.3, radialSegments: 120 }, scene);
await scene.whenReadyAsync();
engine.beginFrame();
scene.render();
engine.endFrame();
writeFileSync('babylon.png', await canvas.toPNG());
engine.dispose();
