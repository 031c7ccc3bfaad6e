// PlayCanvas in Node, as it comes from npm: `npm install rasterloom playcanvas`, then `node playcanvas.mjs` writes
// playcanvas.png.
import { writeFileSync } from 'node:fs';
import { createCanvas, install } from 'rasterloom';

install();
const pc = await import('playcanvas');
const canvas = createCanvas(640, 360);
const graphicsDevice = await pc.createGraphicsDevice(canvas, { deviceTypes: ['webgpu'] });
const app = new pc.AppBase(canvas);
app.init(Object.assign(new pc.AppOptions(), {
  graphicsDevice, componentSystems: [pc.RenderComponentSystem, pc.CameraComponentSystem, pc.LightComponentSystem],
}));
app.start();

const entity = (component, options) => {
  const made = new pc.Entity();
  made.addComponent(component, options);
  app.root.addChild(made);
  return made;
};
entity('render', { type: 'torus' }).setEulerAngles(50, 20, 0);
entity('light', { type: 'directional' }).setEulerAngles(45, 30, 0);
entity('camera', {}).setPosition(0, 0, 2);
await new Promise((done) => app.once('frameend', done));
writeFileSync('playcanvas.png', await canvas.toPNG());
app.destroy();
