// Orillusion: an image by its loader on a box, and a ball, in the light of a sun.
export const options = { platform: 'browser', document: true };
export async function draw({ canvas }) {
  const O = await import('@orillusion/core');
  const engine = await O.Engine3D.init({ canvasConfig: { canvas, devicePixelRatio: 1 } });
  const scene = new O.Scene3D();
  const camera = new O.Object3D();
  const view = camera.addComponent(O.Camera3D);
  view.perspective(50, canvas.width / canvas.height, 0.1, 50);
  view.lookAt(new O.Vector3(1.5, 2.4, 5), new O.Vector3(0, 0.4, 0));
  scene.addChild(camera);
  const sun = new O.Object3D();
  const light = sun.addComponent(O.DirectLight);
  light.intensity = 4;
  sun.rotationX = 50;
  sun.rotationY = 30;
  scene.addChild(sun);
  const board = await engine.res.loadTexture(boardUrl());
  const add = (geometry, baseColor, x, map) => {
    const shape = new O.Object3D();
    const material = new O.LitMaterial();
    material.baseColor = baseColor;
    if (map) material.baseMap = map;
    Object.assign(shape.addComponent(O.MeshRenderer), { geometry, material, castShadow: true, receiveShadow: true });
    shape.localPosition = x;
    scene.addChild(shape);
  };
  const white = new O.Color(1, 1, 1, 1);
  add(new O.BoxGeometry(6, 0.2, 6), new O.Color(0.6, 0.6, 0.6, 1), new O.Vector3(0, -0.7, 0));
  add(new O.BoxGeometry(1, 1, 1), white, new O.Vector3(-0.9, 0, 0), board);
  add(new O.SphereGeometry(0.6, 32, 24), new O.Color(0.9, 0.7, 0.25, 1), new O.Vector3(0.9, 0, 0));
  const seen = new O.View3D();
  seen.scene = scene;
  seen.camera = view;
  engine.startRenderView(seen);
  await new Promise((done) => {
    const look = () => (engine.frameCount > 3 ? done() : setTimeout(look, 20));
    look();
  });
}

/** A picture of squares, as a PNG file in a URL. */
function boardUrl() {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: 32, height: 32 });
  const context = canvas.getContext('2d');
  const image = context.createImageData(32, 32);
  for (let i = 0; i < 32 * 32; i++)
    image.data.set(((i >> 3) ^ (i >> 8)) & 1 ? [240, 180, 90, 255] : [90, 60, 50, 255], i * 4);
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}
