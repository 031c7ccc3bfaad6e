// PlayCanvas: a glTF model by its container loader, with a shadow.
export async function draw({ canvas, sample }) {
  const pc = await import('playcanvas');
  const graphicsDevice = await pc.createGraphicsDevice(canvas, { deviceTypes: ['webgpu'] });
  const app = new pc.AppBase(canvas);
  app.init(
    Object.assign(new pc.AppOptions(), {
      graphicsDevice,
      componentSystems: [pc.RenderComponentSystem, pc.CameraComponentSystem, pc.LightComponentSystem],
      resourceHandlers: [pc.ContainerHandler, pc.TextureHandler],
    })
  );
  app.setCanvasResolution(pc.RESOLUTION_FIXED, canvas.width, canvas.height);
  const asset = await new Promise((done, fail) => {
    app.assets.loadFromUrl(sample, 'container', (error, loaded) => (error ? fail(new Error(error)) : done(loaded)));
  });
  app.start();
  app.root.addChild(asset.resource.instantiateRenderEntity());
  const light = new pc.Entity();
  light.addComponent('light', { type: 'directional', castShadows: true, shadowDistance: 16, normalOffsetBias: 0.05 });
  light.setEulerAngles(45, 30, 0);
  const camera = new pc.Entity();
  camera.addComponent('camera', { clearColor: new pc.Color(0.1, 0.13, 0.19) });
  camera.setPosition(1.2, 2.2, 5);
  camera.lookAt(0, 0.3, 0);
  app.root.addChild(light);
  app.root.addChild(camera);
  await new Promise((done) => {
    app.once('frameend', done);
  });
  app.autoRender = false;
}
