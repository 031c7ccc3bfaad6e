// PixiJS: text in a font of install(), with a stroke and a shadow, and shapes.
export const options = { platform: 'browser' };
export async function draw({ canvas }) {
  const { Application, Graphics, Text } = await import('pixi.js');
  const { width, height } = canvas;
  const app = new Application();
  await app.init({
    preference: 'webgpu',
    canvas,
    width,
    height,
    autoStart: false,
    background: 0x203040,
    antialias: true,
  });
  const shapes = new Graphics();
  shapes.roundRect(20, 16, 90, 50, 12).fill(0xf0c850).stroke({ width: 4, color: 0xffffff });
  shapes.star(180, 44, 5, 30).fill(0x60c0a0);
  const text = new Text({
    text: 'Hello, Pixi',
    style: {
      fontFamily: 'Lato',
      fontSize: 38,
      fill: 0xffffff,
      stroke: { color: 0xa04030, width: 5 },
      dropShadow: { color: 0x000000, blur: 4, distance: 5, angle: 0.8 },
    },
  });
  text.position.set(18, 90);
  app.stage.addChild(shapes, text);
  app.render();
}
