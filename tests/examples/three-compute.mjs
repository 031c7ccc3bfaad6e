// The compute features of unmodified three.js, in Node. A script for tests/examples/three-compute.test.ts, to which it
// reports each result as a line of JSON.
import { createCanvas, install } from 'rasterloom';

install({ threads: 2 });
const THREE = await import('three/webgpu');
const tsl = await import('three/tsl');
const {
  Fn,
  If,
  Loop,
  atomicAdd,
  computeSkinning,
  float,
  instanceIndex,
  instancedArray,
  invocationLocalIndex,
  positionLocal,
  storage,
  texture,
  textureStore,
  uvec2,
  vec3,
  vec4,
  workgroupArray,
  workgroupBarrier,
  workgroupId,
} = tsl;
const canvas = createCanvas(64, 32);
const renderer = new THREE.WebGPURenderer({ canvas });
await renderer.init();
renderer.backend.device.addEventListener('uncapturederror', ({ error }) => {
  throw error;
});
const read = async (array, Values) => [...new Values(await renderer.getArrayBufferAsync(array.value))];
/** The middle row of the picture: red, green, blue, alpha per pixel. */
const draw = async (material, geometry) => {
  const scene = new THREE.Scene();
  const camera = new THREE.OrthographicCamera(-1, 1, 1, -1, 0, 2);
  camera.position.z = 1;
  scene.add(new THREE.Mesh(geometry, material));
  scene.children[0].frustumCulled = false;
  renderer.render(scene, camera);
  const { data, width } = await canvas.getPixels();
  return Array.from({ length: width }, (_, x) => [...data.subarray((16 * width + x) * 4, (16 * width + x) * 4 + 4)]);
};

async function atomics() {
  const sums = instancedArray(4, 'uint').toAtomic();
  await renderer.computeAsync(
    Fn(() => {
      atomicAdd(sums.element(instanceIndex.mod(4)), instanceIndex);
    })().compute(1000)
  );
  return read(sums, Uint32Array);
}

async function workgroups() {
  const values = instancedArray(
    Float32Array.from({ length: 256 }, (_, i) => i),
    'float'
  );
  const sums = instancedArray(4, 'float');
  await renderer.computeAsync(
    Fn(() => {
      const shared = workgroupArray('float', 64);
      shared.element(invocationLocalIndex).assign(values.element(instanceIndex));
      workgroupBarrier();
      If(invocationLocalIndex.equal(0), () => {
        const sum = float(0).toVar();
        Loop(64, ({ i }) => {
          sum.addAssign(shared.element(i));
        });
        sums.element(workgroupId.x).assign(sum);
      });
    })().compute(256, [64])
  );
  return read(sums, Float32Array);
}

async function storageTexture() {
  const stored = new THREE.StorageTexture(64, 32);
  stored.minFilter = stored.magFilter = THREE.NearestFilter;
  await renderer.computeAsync(
    Fn(() => {
      const x = instanceIndex.mod(64);
      const y = instanceIndex.div(64);
      textureStore(stored, uvec2(x, y), vec4(float(x.mod(2)), float(x.div(2).mod(2)), 0, 1)).toWriteOnly();
    })().compute(64 * 32)
  );
  return draw(new THREE.MeshBasicNodeMaterial({ colorNode: texture(stored) }), new THREE.PlaneGeometry(2, 2));
}

/** The largest distance between a vertex and the result of three.js's own arithmetic. */
async function skinning() {
  const geometry = new THREE.CylinderGeometry(0.3, 0.3, 2, 16, 8);
  const { position } = geometry.attributes;
  const indices = [];
  const weights = [];
  for (let i = 0; i < position.count; i++) {
    const high = (position.getY(i) + 1) / 2;
    indices.push(0, 1, 0, 0);
    weights.push(1 - high, high, 0, 0);
  }
  geometry.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(indices, 4));
  geometry.setAttribute('skinWeight', new THREE.Float32BufferAttribute(weights, 4));
  const root = new THREE.Bone();
  const tip = new THREE.Bone();
  root.position.y = -1;
  tip.position.y = 1;
  root.add(tip);
  const mesh = new THREE.SkinnedMesh(geometry, new THREE.MeshBasicMaterial());
  mesh.add(root);
  mesh.bind(new THREE.Skeleton([root, tip]));
  tip.rotation.z = 1;
  mesh.updateMatrixWorld(true);

  const skinned = instancedArray(position.count, 'vec3');
  const at = computeSkinning(mesh);
  await renderer.computeAsync(
    Fn(() => {
      skinned.element(instanceIndex).assign(at);
    })().compute(position.count)
  );
  const found = await read(skinned, Float32Array);
  const corner = new THREE.Vector3();
  let bent = 0;
  let farthest = 0;
  for (let i = 0; i < position.count; i++) {
    mesh.applyBoneTransform(i, corner.fromBufferAttribute(position, i));
    farthest = Math.max(farthest, corner.distanceTo(new THREE.Vector3(...found.slice(4 * i, 4 * i + 3))));
    bent = Math.max(bent, Math.abs(corner.x - position.getX(i)));
  }
  return { bent, farthest };
}

/** The first pixels of covered runs of pixels. */
async function indirectDraw() {
  const sizes = new THREE.IndirectStorageBufferAttribute(new Uint32Array(5), 5);
  const words = storage(sizes, 'uint', 5);
  const geometry = new THREE.PlaneGeometry(0.125, 1);
  geometry.setIndirect(sizes);
  await renderer.computeAsync(
    Fn(() => {
      words.element(0).assign(6);
      words.element(1).assign(5);
    })().compute(1)
  );
  const material = new THREE.MeshBasicNodeMaterial();
  material.positionNode = positionLocal.add(vec3(float(instanceIndex).mul(0.25).sub(0.9375), 0, 0));
  const row = await draw(material, geometry);
  return row.flatMap(([red], x) => (red === 255 && (x === 0 || row[x - 1][0] === 0) ? [x] : []));
}

async function indirectDispatch() {
  const sizes = new THREE.IndirectStorageBufferAttribute(new Uint32Array(3), 3);
  const words = storage(sizes, 'uint', 3);
  const count = instancedArray(1, 'uint').toAtomic();
  await renderer.computeAsync(
    Fn(() => {
      words.element(0).assign(3);
      words.element(1).assign(2);
      words.element(2).assign(1);
    })().compute(1)
  );
  await renderer.computeAsync(
    Fn(() => {
      atomicAdd(count.element(0), 1);
    })().computeKernel([64]),
    sizes
  );
  return read(count, Uint32Array);
}

console.log(
  JSON.stringify({
    atomics: await atomics(),
    workgroups: await workgroups(),
    storageTexture: await storageTexture(),
    skinning: await skinning(),
    indirectDraw: await indirectDraw(),
    indirectDispatch: await indirectDispatch(),
  })
);
renderer.dispose();
