// @antv/g: shapes and an image by its loader, with its WebGPU renderer.
import { createRequire } from 'node:module';

export const options = { platform: 'browser', document: true, canvasFormat: 'bgra8unorm' };
export async function draw({ canvas: element }) {
  // Its ES modules import names that Node does not find.
  const require = createRequire(import.meta.url);
  const { Canvas, CanvasEvent, Circle, Ellipse, Image, Line, Rect } = require('@antv/g');
  const { Renderer } = require('@antv/g-webgpu');
  const compiler = new URL('../node_modules/@antv/g-device-api/dist/pkg/glsl_wgsl_compiler_bg.wasm', import.meta.url);
  const { width, height } = element;
  const canvas = new Canvas({
    canvas: element,
    width,
    height,
    devicePixelRatio: 1,
    background: '#203040',
    renderer: new Renderer({ shaderCompilerPath: compiler.href }),
  });
  await canvas.ready;
  const shapes = [
    new Circle({ style: { cx: 60, cy: 50, r: 34, fill: '#f0c850', stroke: '#ffffff', lineWidth: 4 } }),
    new Rect({ style: { x: 120, y: 20, width: 90, height: 60, radius: 12, fill: '#60c0a0' } }),
    new Ellipse({ style: { cx: 70, cy: 120, rx: 50, ry: 22, fill: '#a06090' } }),
    new Line({ style: { x1: 140, y1: 100, x2: 240, y2: 92, stroke: '#ff8060', lineWidth: 3 } }),
    new Image({ style: { x: 150, y: 104, width: 48, height: 48, src: board() } }),
  ];
  for (const shape of shapes) canvas.appendChild(shape);
  let frames = 0;
  await new Promise((done) => {
    canvas.addEventListener(CanvasEvent.AFTER_RENDER, () => {
      if (++frames === 8) done();
    });
  });
}

/** A picture of squares, as a PNG file in a URL. */
function board() {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: 32, height: 32 });
  const context = canvas.getContext('2d');
  const image = context.createImageData(32, 32);
  for (let i = 0; i < 32 * 32; i++)
    image.data.set(((i >> 3) ^ (i >> 8)) & 1 ? [240, 180, 90, 255] : [90, 60, 50, 255], i * 4);
  context.putImageData(image, 0, 0);
  return canvas.toDataURL();
}
