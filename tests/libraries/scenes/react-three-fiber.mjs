// react-three-fiber: components, and a glTF model by its `useLoader`, which suspends until the model is there.
export async function draw({ canvas, sample }) {
  const React = await import('react');
  const THREE = await import('three/webgpu');
  const { createRoot, extend, useLoader } = await import('@react-three/fiber');
  const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');
  const h = React.createElement;
  extend(THREE);
  const { width, height } = canvas;
  const root = createRoot(canvas);
  await root.configure({
    frameloop: 'never',
    dpr: 1,
    size: { width, height, top: 0, left: 0 },
    camera: { position: [2, 1.6, 3.4], fov: 40 },
    gl: async ({ canvas: element }) => {
      const renderer = new THREE.WebGPURenderer({ canvas: element, antialias: true });
      await renderer.init();
      return renderer;
    },
  });
  let isLoaded = () => undefined;
  const loaded = new Promise((done) => {
    isLoaded = done;
  });
  function Model() {
    const { scene } = useLoader(GLTFLoader, sample);
    React.useEffect(isLoaded, []);
    return h('primitive', { object: scene, scale: 0.6 });
  }
  const state = root.render(
    h(
      React.Fragment,
      null,
      h('color', { attach: 'background', args: ['#304050'] }),
      h('hemisphereLight', { args: [0xffffff, 0x404040, 3] }),
      h('directionalLight', { position: [2, 4, 3], intensity: 2 }),
      h('mesh', { position: [0.9, 0.7, 0.4] }, h('boxGeometry', { args: [0.5, 0.5, 0.5] }), h('meshNormalMaterial')),
      h(React.Suspense, { fallback: null }, h(Model))
    )
  );
  await loaded;
  state.getState().advance(0);
}
