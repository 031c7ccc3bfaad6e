// A server's work: many pictures of a small model in one process, each loaded, drawn and encoded to PNG, beside
// three.js's GLTFLoader on this same package, in turn; and with the model kept. `node bench/gltf/knights.mjs model.glb`
// takes another model, `--count N` another number of pictures.
import { existsSync, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createCanvas, install } from '../../build/index.js';
import { loadGltf, renderGltf } from '../../build/gltf.js';
import { median } from '../support/machine.mjs';

const { values, positionals } = parseArgs({
  options: { count: { type: 'string', default: '100' }, only: { type: 'string' } },
  allowPositionals: true,
});
const path = positionals[0] ?? new URL('../../../shared/assets/chr_knight.glb', import.meta.url);
if (!existsSync(path)) {
  console.log('Skipped: name a model, for example chr_knight.glb.');
  process.exit();
}
const SIZE = 256;
const count = Number(values.count);
const bytes = readFileSync(path);
const picture = { width: SIZE, height: SIZE, samples: 4 };

async function threeSide() {
  install();
  const THREE = await import('three/webgpu');
  const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
  const { RoomEnvironment } = await import('three/addons/environments/RoomEnvironment.js');
  const canvas = createCanvas(SIZE, SIZE);
  const renderer = new THREE.WebGPURenderer({ canvas, antialias: true });
  await renderer.init();
  const environment = new THREE.PMREMGenerator(renderer).fromScene(new RoomEnvironment()).texture;
  const loader = new GLTFLoader();
  const camera = new THREE.PerspectiveCamera(30, 1, 0.1, 1000);
  return async () => {
    const scene = new THREE.Scene();
    scene.background = new THREE.Color(0xcfd2d7);
    scene.environment = environment;
    const { scene: model } = await loader.parseAsync(new Uint8Array(bytes).buffer, '');
    scene.add(model);
    const { center, radius } = new THREE.Box3().setFromObject(model).getBoundingSphere(new THREE.Sphere());
    camera.position.copy(center).add(new THREE.Vector3(0.5, 0.35, 0.85).setLength(radius * 4));
    camera.lookAt(center);
    renderer.render(scene, camera);
    const png = await canvas.toPNG();
    model.traverse(({ geometry, material }) => {
      geometry?.dispose();
      if (!material) return;
      for (const value of Object.values(material)) if (value?.isTexture) value.dispose();
      material.dispose();
    });
    return png;
  };
}

const kept = await loadGltf(bytes);
const sides = {
  loaded: async () => (await renderGltf(bytes, picture)).toPNG(),
  kept: async () => (await kept.render(picture)).toPNG(),
  ...(values.only === undefined || values.only === 'three' ? { three: await threeSide() } : {}),
};
if (values.only !== undefined && !(values.only in sides)) {
  console.error(`--only must be loaded, kept or three, not "${values.only}".`);
  process.exit(2);
}
const names = values.only === undefined ? Object.keys(sides) : [values.only];
const times = Object.fromEntries(names.map((name) => [name, []]));
const memory = [];
for (let i = 0; i < count; i++) {
  for (const name of names) {
    const before = performance.now();
    const png = await sides[name]();
    times[name].push(performance.now() - before);
    if (png.length < 1000) throw new Error(`${name}: the picture is empty`);
  }
  globalThis.gc?.();
  memory.push(process.memoryUsage.rss() / 1e6);
}
const sum = (list) => list.reduce((all, ms) => all + ms, 0);
const rounded = (x, digits = 1) => Number(x.toFixed(digits));
for (const name of names) {
  const [first, ...rest] = times[name];
  const mean = sum(rest) / rest.length;
  console.log(
    `${name}: first ${rounded(first)} ms, then median ${rounded(median(rest))} ms, mean ${rounded(mean)} ms, `
      + `${rounded(1000 / mean)} per second`
  );
}
if (times.three)
  for (const name of names.filter((each) => each !== 'three'))
    console.log(
      `${name} / three: median ${rounded(median(times[name].slice(1)) / median(times.three.slice(1)), 2)}, `
        + `all ${rounded(sum(times[name]) / sum(times.three), 2)}`
    );
const steady = memory.slice(Math.min(20, count - 1));
console.log(
  `memory from the ${Math.min(20, count - 1)}th: ${rounded(steady[0])} MB, most ${rounded(Math.max(...steady))} MB, `
    + `last ${rounded(steady.at(-1))} MB`
);
kept.dispose();
process.exit();
