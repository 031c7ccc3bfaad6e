// Skinning with compute passes of three.js in Node, with the unmodified npm package: `npm install rasterloom three`,
// then `node three-skinning.mjs` writes three-skinning.png: arms that curl. A compute pass skins the vertices of each
// arm once. The vertex shaders of the shadow pass and of the picture read the resulting buffer.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const THREE = await import('three/webgpu');
const { Fn, computeSkinning, instanceIndex, instancedArray, mix, smoothstep, uv, vec3, vertexIndex } =
  await import('three/tsl');
const canvas = createCanvas(640, 360);
const ARMS = 7;
const BONES = 12;
const LENGTH = 3;
const renderer = new THREE.WebGPURenderer({ canvas, antialias: true });
renderer.shadowMap.enabled = true;
await renderer.init();

const scene = new THREE.Scene();
const camera = new THREE.PerspectiveCamera(32, 640 / 360, 0.1, 50);
scene.background = new THREE.Color(0x1c2230);
camera.position.set(0, 3.4, 7.6);
camera.lookAt(0, 0.85, 0);
const sun = new THREE.DirectionalLight(0xffffff, 3);
sun.position.set(-3, 6, 3);
sun.castShadow = true;
sun.shadow.mapSize.set(1024, 1024);
sun.shadow.normalBias = 0.03;
Object.assign(sun.shadow.camera, { left: -4, right: 4, top: 4, bottom: -4, near: 1, far: 14 });
scene.add(sun, new THREE.HemisphereLight(0xffffff, 0x404050, 1.2));
const ground = new THREE.Mesh(new THREE.CircleGeometry(3.2, 64), new THREE.MeshStandardMaterial({ color: 0x58606c }));
ground.rotation.x = -Math.PI / 2;
ground.receiveShadow = true;
scene.add(ground);

// An arm: a cone along its bones. The two nearest bones move each vertex.
const geometry = new THREE.CylinderGeometry(0.05, 0.2, LENGTH, 20, 96).translate(0, LENGTH / 2, 0);
const { position } = geometry.attributes;
const indices = [];
const weights = [];
for (let i = 0; i < position.count; i++) {
  const at = (Math.max(position.getY(i), 0) / LENGTH) * (BONES - 1);
  const bone = Math.min(Math.floor(at), BONES - 2);
  indices.push(bone, bone + 1, 0, 0);
  weights.push(1 - at + bone, at - bone, 0, 0);
}
geometry.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(indices, 4));
geometry.setAttribute('skinWeight', new THREE.Float32BufferAttribute(weights, 4));

for (let arm = 0; arm < ARMS; arm++) {
  const bones = Array.from({ length: BONES }, () => new THREE.Bone());
  const angle = (arm / ARMS) * 2 * Math.PI;
  bones.slice(1).forEach((bone, i) => {
    bone.position.y = LENGTH / (BONES - 1);
    bones[i].add(bone);
  });
  const skin = new THREE.SkinnedMesh(geometry);
  skin.add(bones[0]);
  skin.bind(new THREE.Skeleton(bones));
  bones.slice(1).forEach((bone, i) => {
    bone.rotation.z = -0.05 - 0.045 * i * (1 + (arm % 3) / 4);
  });
  skin.updateMatrixWorld(true);

  const corners = instancedArray(position.count, 'vec3');
  const skinned = computeSkinning(skin);
  renderer.compute(
    Fn(() => {
      corners.element(instanceIndex).assign(skinned);
    })().compute(position.count)
  );
  // Flat shading takes the normals of the deformed triangles.
  const material = new THREE.MeshStandardNodeMaterial({ roughness: 0.5, flatShading: true });
  material.positionNode = corners.element(vertexIndex);
  material.colorNode = mix(vec3(0.08, 0.3, 0.5), vec3(1, 0.6, 0.1), smoothstep(0.35, 0.9, uv().y));
  const mesh = new THREE.Mesh(geometry, material);
  mesh.position.set(0.45 * Math.cos(angle), 0, 0.45 * Math.sin(angle));
  mesh.rotation.y = -angle;
  mesh.castShadow = mesh.receiveShadow = true;
  mesh.frustumCulled = false;
  scene.add(mesh);
}
renderer.render(scene, camera);
writeFileSync('three-skinning.png', await canvas.toPNG());
renderer.dispose();
