// three.js: a glTF model by its loader, in the light of a prefiltered room.
export async function draw({ canvas, sample }) {
  const THREE = await import('three/webgpu');
  const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
  const { RoomEnvironment } = await import('three/addons/environments/RoomEnvironment.js');
  const renderer = new THREE.WebGPURenderer({ canvas, antialias: true });
  await renderer.init();
  const { width, height } = canvas;
  const scene = new THREE.Scene();
  scene.background = new THREE.Color(0x304050);
  scene.environment = new THREE.PMREMGenerator(renderer).fromScene(new RoomEnvironment()).texture;
  const { scene: model } = await new GLTFLoader().loadAsync(sample);
  scene.add(model);
  const { center, radius } = new THREE.Box3().setFromObject(model).getBoundingSphere(new THREE.Sphere());
  const camera = new THREE.PerspectiveCamera(40, width / height, 0.1, 100);
  camera.position.copy(center).add(new THREE.Vector3(0.5, 0.4, 1).setLength(radius * 2));
  camera.lookAt(center);
  renderer.render(scene, camera);
}
