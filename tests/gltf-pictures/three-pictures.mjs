// Draws models with three.js on this package. A script for three.test.ts: `node three-pictures.mjs SIZE A.glb B.glb`
// writes the pixels of each model, from its first camera, to A.glb.rgba and so on.
import { readFileSync, writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

const [size, ...files] = process.argv.slice(2);
install({ threads: 2 });
const THREE = await import('three/webgpu');
const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
const canvas = createCanvas(Number(size), Number(size));
const renderer = new THREE.WebGPURenderer({ canvas, antialias: true });
await renderer.init();
renderer.setClearColor(0x000000, 1);
renderer.toneMapping = THREE.NeutralToneMapping;
for (const file of files) {
  const bytes = readFileSync(file);
  const model = await new GLTFLoader().parseAsync(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    ''
  );
  const camera = model.cameras[0];
  camera.aspect = 1;
  camera.updateProjectionMatrix();
  const scene = new THREE.Scene();
  scene.add(model.scene);
  scene.updateMatrixWorld(true);
  renderer.render(scene, camera);
  const { data } = await canvas.getPixels();
  writeFileSync(`${file}.rgba`, new Uint8Array(data.buffer, data.byteOffset, data.length));
}
renderer.dispose();
process.exit(0);
