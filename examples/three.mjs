// three.js as it stands in a page, drawn in Node: npm i rasterloom three; node three.mjs [file.png]
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install(); // the names that three.js looks for in a page
const canvas = createCanvas(640, 360), file = process.argv[2] ?? 'three.png';
const {
  AmbientLight, DirectionalLight, Mesh, MeshStandardMaterial, PerspectiveCamera, Scene, TorusKnotGeometry,
  WebGPURenderer,
} = await import('three/webgpu');

// From here on it is the code of a page.
const renderer = new WebGPURenderer({ canvas, antialias: true });
renderer.setSize(canvas.width, canvas.height, false);
await renderer.init();

const scene = new Scene(), camera = new PerspectiveCamera(45, canvas.width / canvas.height, 0.1, 100);
camera.position.set(0, 0, 5);
const sun = new DirectionalLight(0xffffff, 3);
sun.position.set(3, 5, 4);
const blue = new MeshStandardMaterial({ color: 0x5588cc, roughness: 0.35, metalness: 0.3 });
scene.add(sun, new AmbientLight(0x8899bb), new Mesh(new TorusKnotGeometry(1, 0.35, 200, 32), blue));
renderer.render(scene, camera);

// And back in Node.
writeFileSync(file, await canvas.toPNG());
console.log(`Wrote ${file}.`);
