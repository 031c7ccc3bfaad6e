// ChartGPU: a chart of lines, bars and points.
export const options = { document: true };
export async function draw({ canvas: { width, height } }) {
  const { ChartGPU } = await import('chartgpu');
  const container = document.createElement('div');
  for (const [name, value] of Object.entries({ clientWidth: width, clientHeight: height }))
    Object.defineProperty(container, name, { value });
  container.getBoundingClientRect = () => ({
    x: 0,
    y: 0,
    left: 0,
    top: 0,
    right: width,
    bottom: height,
    width,
    height,
  });
  document.body.append(container);
  const points = Array.from({ length: 60 }, (_, i) => [i, 4 + 3 * Math.sin(i / 6)]);
  const chart = await ChartGPU.create(container, {
    animation: false,
    series: [
      { type: 'area', data: points, color: '#3060a0' },
      { type: 'line', data: points.map(([x, y]) => [x, 9 - y]), color: '#f0c850', lineStyle: { width: 2 } },
      { type: 'scatter', data: points.filter(([x]) => x % 5 === 0), color: '#60c0a0', symbolSize: 4 },
    ],
  });
  await new Promise((done) => {
    setTimeout(done, 500);
  });
  void chart;
  return container.querySelector('canvas');
}
