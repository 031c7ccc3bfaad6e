// deck.gl: discs, lines, polygons and text.
export const options = { document: true };
export async function draw({ canvas }) {
  // Its packages take Node for a platform without WebGPU otherwise.
  process.browser = true;
  const { Deck, OrthographicView } = await import('@deck.gl/core');
  const { LineLayer, ScatterplotLayer, SolidPolygonLayer, TextLayer } = await import('@deck.gl/layers');
  const { webgpuAdapter } = await import('@luma.gl/webgpu');
  const ring = Array.from({ length: 12 }, (_, i) => [Math.sin(i / 2), Math.cos(i / 2)].map((at) => 50 * at));
  await new Promise((done, fail) => {
    let frames = 0;
    const deck = new Deck({
      canvas,
      width: canvas.width,
      height: canvas.height,
      useDevicePixels: false,
      deviceProps: { type: 'webgpu', adapters: [webgpuAdapter] },
      views: new OrthographicView({ flipY: true }),
      initialViewState: { target: [0, 0, 0], zoom: 0 },
      controller: false,
      parameters: { depthCompare: 'always' },
      _animate: true,
      layers: [
        new SolidPolygonLayer({
          id: 'ground',
          data: [
            {
              polygon: [
                [-110, -60],
                [110, -60],
                [90, 60],
                [-90, 60],
              ],
            },
          ],
          getPolygon: (each) => each.polygon,
          getFillColor: [40, 70, 90, 255],
        }),
        new LineLayer({
          id: 'lines',
          data: ring,
          getSourcePosition: () => [0, 0],
          getTargetPosition: (at) => at,
          getColor: [240, 200, 80, 255],
          getWidth: 3,
        }),
        new ScatterplotLayer({
          id: 'discs',
          data: ring,
          getPosition: (at) => at,
          getRadius: (_, { index }) => 5 + index / 2,
          getFillColor: (_, { index }) => [96, 20 * index, 160, 255],
        }),
        new TextLayer({
          id: 'text',
          data: ['deck.gl'],
          getText: (text) => text,
          getPosition: () => [0, 66],
          getSize: 20,
          fontFamily: 'Lato',
          getColor: [255, 255, 255, 255],
        }),
      ],
      onError: fail,
      onAfterRender: () => {
        if (++frames === 4) done(deck);
      },
    });
  }).then((deck) => deck.finalize());
}
