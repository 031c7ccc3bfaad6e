// PlayCanvas in Node, with the unmodified npm package: `npm install rasterloom playcanvas`, then `node playcanvas.mjs`
// writes playcanvas.png: a lit, textured box and a torus, with their shadows.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const pc = await import('playcanvas');
const canvas = createCanvas(640, 360);
const graphicsDevice = await pc.createGraphicsDevice(canvas, { deviceTypes: ['webgpu'] });
const app = new pc.AppBase(canvas);
app.init(
  Object.assign(new pc.AppOptions(), {
    graphicsDevice,
    componentSystems: [pc.RenderComponentSystem, pc.CameraComponentSystem, pc.LightComponentSystem],
  })
);
app.setCanvasResolution(pc.RESOLUTION_FIXED, canvas.width, canvas.height);
app.start();

const entity = (component, options) => {
  const made = new pc.Entity();
  made.addComponent(component, options);
  app.root.addChild(made);
  return made;
};
const board = new pc.Texture(graphicsDevice, { width: 64, height: 64, format: pc.PIXELFORMAT_SRGBA8 });
board
  .lock()
  .set(
    Array.from({ length: 64 * 64 }, (_, i) =>
      ((i >> 4) ^ (i >> 10)) & 1 ? [230, 200, 140, 255] : [60, 50, 40, 255]
    ).flat()
  );
board.unlock();
const material = new pc.StandardMaterial();
material.diffuseMap = board;
material.update();
entity('render', { type: 'box', material }).setEulerAngles(20, 35, 0);
const torus = entity('render', { type: 'torus' });
torus.setPosition(1.4, 0, 0.2);
torus.setEulerAngles(60, 20, 0);
const ground = entity('render', { type: 'plane' });
ground.setLocalScale(8, 1, 8);
ground.setPosition(0, -0.8, 0);
entity('light', { type: 'directional', castShadows: true, shadowDistance: 16, normalOffsetBias: 0.05 }).setEulerAngles(
  45,
  30,
  0
);
const camera = entity('camera', { clearColor: new pc.Color(0.1, 0.13, 0.19) });
camera.setPosition(0, 2, 4.5);
camera.lookAt(0, 0, 0);
await new Promise((done) => app.once('frameend', done));
writeFileSync('playcanvas.png', await canvas.toPNG());
app.destroy();
