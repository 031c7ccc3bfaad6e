// A cloth by three-simplecloth in Node, with the unmodified npm packages: `npm install rasterloom three
// three-simplecloth`, then `node three-cloth.mjs` writes three-cloth.png: a cloth that hangs by two corners over a
// ball. Compute passes move its 1681 points, connected by springs, six times per frame for two seconds. The vertex
// shader reads the same buffers.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const THREE = await import('three/webgpu');
const { SimpleCloth } = await import('three-simplecloth');
const canvas = createCanvas(640, 360);
const SIDE = 40;
const FRAMES = 120;
const renderer = new THREE.WebGPURenderer({ canvas, antialias: true });
renderer.shadowMap.enabled = true;
await renderer.init();

const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(27, 640 / 360, 0.1, 50);
scene.background = new THREE.Color(0x1c2230);
camera.position.set(2.2, 3.1, 5.4);
camera.lookAt(0, 0.62, 0);
const sun = new THREE.DirectionalLight(0xffffff, 3.2);
sun.position.set(4, 6, 2.5);
sun.castShadow = true;
sun.shadow.mapSize.set(1024, 1024);
sun.shadow.normalBias = 0.05;
Object.assign(sun.shadow.camera, { left: -3, right: 3, top: 3, bottom: -3, near: 1, far: 14 });
scene.add(sun, new THREE.HemisphereLight(0xffffff, 0x404050, 1.2));
const ground = new THREE.Mesh(new THREE.CircleGeometry(2.6, 64), new THREE.MeshStandardMaterial({ color: 0x6b7688 }));
ground.rotation.x = -Math.PI / 2;
const balls = new THREE.Group();
const ball = new THREE.Mesh(new THREE.SphereGeometry(1, 64, 32), new THREE.MeshStandardMaterial({ color: 0x8fa3c4 }));
ball.position.set(0, 0.62, 0.1);
ball.scale.setScalar(0.6);
ball.userData.clothCollider = true;
balls.add(ball);
scene.add(ground, balls);

// The library simulates a skinned mesh as cloth where it is painted red. White parts follow their bones.
const geometry = new THREE.PlaneGeometry(2, 2, SIDE, SIDE).rotateX(-Math.PI / 2).translate(0, 1.5, 0);
const { count } = geometry.attributes.position;
const paint = new Float32Array(count * 3);
for (let i = 0; i < count; i++) {
  const isCorner = i === 0 || i === SIDE;
  paint.set(isCorner ? [1, 1, 1] : [1, 0, 0], i * 3);
}
const weights = Float32Array.from({ length: count * 4 }, (_, i) => (i % 4 === 0 ? 1 : 0));
geometry.setAttribute('color', new THREE.BufferAttribute(paint, 3));
geometry.setAttribute('skinIndex', new THREE.BufferAttribute(new Uint16Array(count * 4), 4));
geometry.setAttribute('skinWeight', new THREE.BufferAttribute(weights, 4));
const material = new THREE.MeshPhysicalNodeMaterial({ color: 0xd8492f, roughness: 0.7, side: THREE.DoubleSide });
const mesh = new THREE.SkinnedMesh(geometry, material);
const bone = new THREE.Bone();
mesh.add(bone);
mesh.bind(new THREE.Skeleton([bone]));
for (const each of [ground, ball, mesh]) each.castShadow = each.receiveShadow = true;
scene.add(mesh);
scene.updateMatrixWorld(true);
const cloth = SimpleCloth.onSkinnedMesh(mesh, renderer, {
  collidersRoot: balls,
  colliderRadiusMultiplier: 1.04,
  stiffness: 0.4,
  dampening: 0.985,
});
// The springs get their lengths in the next animation frame. The cloth does not move before that.
const alive = setInterval(() => {}, 1000);
await new Promise((done) => {
  requestAnimationFrame(done);
});
clearInterval(alive);
for (let frame = 0; frame < FRAMES; frame++) cloth.update(1 / 60);
renderer.render(scene, camera);
writeFileSync('three-cloth.png', await canvas.toPNG());
renderer.dispose();
