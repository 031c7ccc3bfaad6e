// q5: shapes, an image and text of its WebGPU renderer.
export const options = { platform: 'browser', document: true, canvasFormat: 'bgra8unorm' };
export async function draw({ canvas: { width, height } }) {
  await import('q5/q5.js');
  const q = await Q5.WebGPU('instance');
  const canvas = q.createCanvas(width, height);
  q.pixelDensity(1);
  q.noLoop();
  await q.loadFont(new URL('../node_modules/q5/builtinFonts/sans-serif-msdf.json', import.meta.url).href);
  q.draw = () => {
    q.background(0.1, 0.15, 0.25);
    q.fill(0.9, 0.75, 0.3);
    q.stroke(1);
    q.strokeWeight(4);
    q.rect(-110, -60, 80, 50, 12);
    q.fill(0.4, 0.75, 0.6);
    q.circle(40, -30, 60);
    q.noStroke();
    q.fill(1);
    q.textSize(40);
    q.text('q5 text', -100, 60);
  };
  await q.redraw();
  return canvas;
}
