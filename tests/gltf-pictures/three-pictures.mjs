// Draws models with three.js on this package. A script for three.test.ts: `node three-pictures.mjs SIZE A.glb B.glb`
// writes the pixels of each model, from its first camera, to A.glb.rgba and so on. With SHADOWS=1 in the environment,
// the model's lights cast shadows.
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
renderer.shadowMap.enabled = process.env.SHADOWS === '1';
renderer.shadowMap.type = THREE.PCFSoftShadowMap;
renderer.toneMapping = THREE.NeutralToneMapping;

/** A surface that casts and receives shadows, or a light whose maps hold a model of about ten units. */
function addShadow(object) {
  object.castShadow = true;
  object.receiveShadow = object.isMesh === true;
  if (!object.isLight) return;
  const { shadow } = object;
  shadow.mapSize.set(1024, 1024);
  shadow.camera.near = 0.1;
  shadow.camera.far = 30;
  shadow.bias = -0.002;
  if (object.isDirectionalLight) Object.assign(shadow.camera, { left: -6, right: 6, top: 6, bottom: -6 });
}

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
  if (renderer.shadowMap.enabled) model.scene.traverse(addShadow);
  scene.updateMatrixWorld(true);
  renderer.render(scene, camera);
  const { data } = await canvas.getPixels();
  writeFileSync(`${file}.rgba`, new Uint8Array(data.buffer, data.byteOffset, data.length));
}
renderer.dispose();
process.exit(0);
