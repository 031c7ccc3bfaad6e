// Shading rates in three.js, with the unmodified npm package: `npm install rasterloom three`, then
// `node three-rates.mjs` writes three-rates.png: columns beside the rates of their fragments, where lighter is coarser.
// A node of three.js's shading language sets the rate of each triangle by its distance.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const THREE = await import('three/webgpu');
const { Fn, float, int, mix, positionLocal, positionView, select, uint, vec3 } = await import('three/tsl');

/** Writes a shading rate in the vertex stage: a node with a code, log2(width) · 4 + log2(height). */
class ShadingRateNode extends THREE.Node {
  constructor(code) {
    super('void');
    this.code = code;
  }
  generate(builder) {
    builder.enableDirective('shading_rate', 'vertex');
    builder.getBuiltin('shading_rate', 'shadingRate', 'u32', 'vertex');
    builder.addLineFlowCode(`varyings.shadingRate = ${this.code.build(builder, 'uint')}`, this);
  }
}
/** Reads the rate at which the fragment stage runs. */
class CurrentRateNode extends THREE.Node {
  constructor() {
    super('uint');
  }
  generate(builder) {
    builder.enableDirective('shading_rate', 'fragment');
    return builder.getBuiltin('shading_rate', 'currentRate', 'u32', 'fragment');
  }
}

/** Vertices beyond 14 units ask for 4×4, beyond 7 for 2×2. */
const ratesByDistance = Fn(() => {
  const distance = positionView.z.negate();
  const code = select(distance.greaterThan(14), uint(10), select(distance.greaterThan(7), uint(5), uint(0)));
  new ShadingRateNode(code).toStack();
  return positionLocal;
})();

const adapter = await navigator.gpu.requestAdapter();
const device = await adapter.requestDevice({ requiredFeatures: ['shading-rate'] });
const [width, height] = [320, 360];
const canvas = createCanvas(2 * width, height);
const renderer = new THREE.WebGPURenderer({ canvas, device });
await renderer.init();
renderer.setScissorTest(true);

const scene = new THREE.Scene();
scene.background = new THREE.Color(0x9db2c8);
const camera = new THREE.PerspectiveCamera(50, width / height, 0.1, 60);
camera.position.set(0, 1.6, 5);
scene.add(new THREE.HemisphereLight(0xffffff, 0x605040, 1));
for (let k = 0; k < 6; k++) {
  const light = new THREE.PointLight([0xffb060, 0x80b0ff][k % 2], 12);
  light.position.set(k % 2 ? 1.5 : -1.5, 2.5, 2 - k * 4);
  scene.add(light);
}
const shaded = new THREE.MeshStandardNodeMaterial({ color: 0xd8cfc0, roughness: 0.5 });
shaded.positionNode = ratesByDistance;
const mapped = new THREE.MeshBasicNodeMaterial();
mapped.positionNode = ratesByDistance;
const rate = int(new CurrentRateNode());
const coarseness = float(rate.shiftRight(int(2)).add(rate.bitAnd(int(3)))).div(4);
mapped.colorNode = mix(vec3(0.02, 0.04, 0.2), vec3(1, 0.7, 0.03), coarseness);
const column = new THREE.CylinderGeometry(0.35, 0.45, 3, 48, 12);
for (let k = 0; k < 20; k++) {
  const mesh = new THREE.Mesh(column, shaded);
  mesh.position.set(k % 2 ? 2 : -2, 1.5, 2 - Math.floor(k / 2) * 2.5);
  scene.add(mesh);
}
const ground = new THREE.Mesh(new THREE.PlaneGeometry(12, 40, 24, 80).rotateX(-Math.PI / 2), shaded);
ground.position.z = -12;
scene.add(ground);

for (const [left, material] of [
  [0, shaded],
  [width, mapped],
]) {
  scene.traverse((object) => {
    if (object.isMesh) object.material = material;
  });
  renderer.setViewport(left, 0, width, height);
  renderer.setScissor(left, 0, width, height);
  renderer.render(scene, camera);
}
writeFileSync('three-rates.png', await canvas.toPNG());
renderer.dispose();
