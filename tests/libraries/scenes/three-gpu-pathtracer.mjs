// three-gpu-pathtracer: paths through a bounding volume hierarchy in compute shaders.
export async function draw({ canvas }) {
  const THREE = await import('three/webgpu');
  const { WebGPUPathTracer } = await import('three-gpu-pathtracer/webgpu');
  Object.assign(canvas, { width: 128, height: 80 });
  const renderer = new THREE.WebGPURenderer({ canvas });
  renderer.setPixelRatio(1);
  await renderer.init();
  const scene = new THREE.Scene();
  scene.background = scene.environment = sky(THREE);
  const add = (geometry, material, x, y, z) => {
    const mesh = new THREE.Mesh(geometry, new THREE.MeshStandardMaterial(material));
    mesh.position.set(x, y, z);
    scene.add(mesh);
  };
  add(new THREE.BoxGeometry(6, 0.2, 6), { color: 0x909090, roughness: 1 }, 0, -0.6, 0);
  add(new THREE.SphereGeometry(0.5, 32, 16), { color: 0xf0c850, metalness: 1, roughness: 0.1 }, -0.7, 0, 0);
  add(new THREE.TorusGeometry(0.4, 0.15, 16, 32), { color: 0x60c0a0, roughness: 0.6 }, 0.7, 0, 0);
  const camera = new THREE.PerspectiveCamera(40, canvas.width / canvas.height, 0.1, 50);
  camera.position.set(0.6, 1.2, 3.2);
  camera.lookAt(0, 0, 0);
  scene.updateMatrixWorld();
  camera.updateMatrixWorld();
  const tracer = new WebGPUPathTracer(renderer);
  // The other kernel needs an older three.js.
  tracer.useMegakernel(true);
  Object.assign(tracer, { bounces: 2, renderDelay: 0, minSamples: 0, fadeDuration: 0, dynamicLowRes: false });
  tracer.setScene(scene, camera);
  for (let k = 0; k < 6; k++) tracer.renderSample();
}

function sky(THREE) {
  const [width, height] = [16, 8];
  const data = new Float32Array(width * height * 4);
  for (let i = 0; i < width * height; i++) {
    const up = 1 - Math.floor(i / width) / height;
    data.set([0.4 + up, 0.5 + up, 0.7 + up, 1], i * 4);
  }
  const texture = new THREE.DataTexture(data, width, height, THREE.RGBAFormat, THREE.FloatType);
  texture.mapping = THREE.EquirectangularReflectionMapping;
  texture.minFilter = texture.magFilter = THREE.LinearFilter;
  texture.needsUpdate = true;
  return texture;
}
