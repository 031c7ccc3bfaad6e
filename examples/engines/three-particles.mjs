// Particles with compute passes of three.js in Node, with the unmodified npm package: `npm install rasterloom three`,
// then `node three-particles.mjs` writes three-particles.png: beads poured over a ball. Shaders in three.js's shading
// language (TSL) move the beads in buffers that the vertex shaders read. Positions are never read back.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const THREE = await import('three/webgpu');
const {
  Fn,
  If,
  cos,
  dot,
  float,
  hash,
  instancedArray,
  instanceIndex,
  length,
  mix,
  normalize,
  positionLocal,
  sin,
  sqrt,
  vec3,
} = await import('three/tsl');
const canvas = createCanvas(640, 360);
const COUNT = 6000;
const STEPS = 60;
const RADIUS = 0.035;
const renderer = new THREE.WebGPURenderer({ canvas, antialias: true });
renderer.shadowMap.enabled = true;
await renderer.init();

// The beads start in a column above the ball, slightly off its centre.
const positions = instancedArray(COUNT, 'vec3');
const velocities = instancedArray(COUNT, 'vec3');
const chance = (n) => hash(instanceIndex.mul(4).add(n));
const pour = Fn(() => {
  const angle = chance(0).mul(2 * Math.PI);
  const far = sqrt(chance(1)).mul(0.5);
  positions
    .element(instanceIndex)
    .assign(vec3(cos(angle).mul(far).add(0.15), chance(2).mul(6).add(1.8), sin(angle).mul(far)));
  velocities.element(instanceIndex).assign(vec3(0, chance(3).mul(-1), 0));
})().compute(COUNT);

// A time step of 1/60 s: the beads fall, and bounce off the ball and the floor with a part of their speed.
const ball = vec3(0, 0.7, 0);
const reach = 0.7 + RADIUS;
const bounce = float(1.45);
const step = Fn(() => {
  const at = positions.element(instanceIndex);
  const v = velocities.element(instanceIndex);
  v.addAssign(vec3(0, -9.8 / 60, 0));
  at.addAssign(v.div(60));
  const off = at.sub(ball).toVar();
  If(length(off).lessThan(reach), () => {
    const normal = normalize(off).toVar();
    const into = dot(v, normal).toVar();
    at.assign(ball.add(normal.mul(reach)));
    If(into.lessThan(0), () => {
      v.subAssign(normal.mul(into).mul(bounce));
    });
  });
  If(at.y.lessThan(RADIUS), () => {
    at.y.assign(RADIUS);
    v.y.assign(v.y.abs().mul(0.45));
    v.assign(v.mul(vec3(0.96, 1, 0.96)));
  });
})().compute(COUNT);

const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(40, 640 / 360, 0.1, 50);
scene.background = new THREE.Color(0x1c2230);
camera.position.set(0, 3, 6.5);
camera.lookAt(0, 0.75, 0);
const sun = new THREE.DirectionalLight(0xffffff, 3);
sun.position.set(-3, 6, 3);
sun.castShadow = true;
sun.shadow.mapSize.set(1024, 1024);
Object.assign(sun.shadow.camera, { left: -4, right: 4, top: 4, bottom: -4, near: 1, far: 14 });
scene.add(sun, new THREE.HemisphereLight(0xffffff, 0x404050, 1.2));
const add = (geometry, material) => {
  const mesh = new THREE.Mesh(geometry, material);
  mesh.castShadow = mesh.receiveShadow = true;
  scene.add(mesh);
  return mesh;
};
add(
  new THREE.SphereGeometry(0.7, 48, 24),
  new THREE.MeshStandardMaterial({ color: 0xd8d8e0, roughness: 0.4 })
).position.y = 0.7;
add(new THREE.CircleGeometry(5, 64), new THREE.MeshStandardMaterial({ color: 0x58606c })).rotation.x = -Math.PI / 2;

const material = new THREE.MeshStandardNodeMaterial({ roughness: 0.5 });
material.positionNode = positionLocal.add(positions.element(instanceIndex));
// Slow beads are blue, fast ones yellow.
material.colorNode = mix(
  vec3(0.1, 0.25, 0.8),
  vec3(1, 0.7, 0.12),
  length(velocities.element(instanceIndex)).div(5).clamp(0, 1)
);
const beads = add(new THREE.IcosahedronGeometry(RADIUS, 1), material);
beads.count = COUNT;
beads.frustumCulled = false;

await renderer.computeAsync(pour);
for (let i = 0; i < STEPS; i++) renderer.compute(step);
renderer.render(scene, camera);
writeFileSync('three-particles.png', await canvas.toPNG());
renderer.dispose();
