// three.js in Node, with the unmodified npm package: `npm install rasterloom three`, then `node three.mjs` writes
// three.png.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const THREE = await import('three/webgpu');
const canvas = createCanvas(640, 360);
const renderer = new THREE.WebGPURenderer({ canvas, antialias: true });
await renderer.init();

const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(50, 640 / 360, 0.1, 50);
camera.position.z = 4;
scene.add(new THREE.HemisphereLight(0xffffff, 0x404040, 3));
const material = new THREE.MeshStandardMaterial({ color: 0xf0c850 });
scene.add(new THREE.Mesh(new THREE.TorusKnotGeometry(0.8, 0.25, 160, 24), material));
renderer.render(scene, camera);
writeFileSync('three.png', await canvas.toPNG());
renderer.dispose();
