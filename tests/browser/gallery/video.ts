import { cleared, contextOf, nextFrame, openDevice, type Page } from './kit';

const SHADER = `
@group(0) @binding(0) var video: texture_external;
@group(0) @binding(1) var smooth_sampler: sampler;
struct Corner { @builtin(position) position: vec4f, @location(0) uv: vec2f }
@vertex fn vertex(@builtin(vertex_index) i: u32) -> Corner {
  let uv = vec2f(f32(i & 1), f32(i >> 1));
  return Corner(vec4f(uv.x * 2 - 1, 1 - uv.y * 2, 0, 1), uv);
}
@fragment fn fragment(in: Corner) -> @location(0) vec4f {
  return textureSampleBaseClampToEdge(video, smooth_sampler, in.uv);
}`;
const QUARTERS = ['#e02020', '#20c020', '#2040e0', '#e0e040'];

/** Four colors, one per quadrant, that rotate with each step. */
function paint(context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D, step: number): void {
  for (let i = 0; i < 4; i++) {
    context.fillStyle = QUARTERS[(i + step) % 4]!;
    context.fillRect((i % 2) * 40, (i >> 1) * 40, 40, 40);
  }
}
const pause = (milliseconds: number): Promise<void> => new Promise((done) => setTimeout(done, milliseconds));

/** A video element that plays what a canvas draws. */
async function play(): Promise<HTMLVideoElement> {
  const canvas = document.createElement('canvas');
  const video = document.createElement('video');
  canvas.width = canvas.height = 80;
  const context = canvas.getContext('2d')!;
  video.muted = true;
  video.srcObject = canvas.captureStream(30);
  const played = video.play();
  // Frames are captured when the canvas changes.
  for (let i = 0; i < 4; i++) {
    paint(context, 0);
    await pause(40);
  }
  await played;
  return video;
}

/** A playing video on the left; on the right a generated video frame, imported in every frame. */
export async function video(page: Page): Promise<void> {
  const canvas = page.addCanvas(240, 120);
  const device = await openDevice(page);
  const movie = await play();
  const { context, format } = contextOf(canvas, device);
  const module = device.createShaderModule({ code: SHADER });
  const pipeline = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module },
    fragment: { module, targets: [{ format }] },
    primitive: { topology: 'triangle-strip' },
  });
  const sampler = device.createSampler({ magFilter: 'linear', minFilter: 'linear' });
  const scratch = new OffscreenCanvas(80, 80);
  const drawing = scratch.getContext('2d')!;
  for (let step = 1; step <= 3; step++) {
    await nextFrame();
    paint(drawing, step);
    const still = new VideoFrame(scratch, { timestamp: step });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginRenderPass({
      colorAttachments: [cleared(context.getCurrentTexture().createView(), [0, 0, 0, 1])],
    });
    pass.setPipeline(pipeline);
    for (const [i, source] of [movie, still].entries()) {
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [
            { binding: 0, resource: device.importExternalTexture({ source }) },
            { binding: 1, resource: sampler },
          ],
        })
      );
      pass.setViewport(i * 120, 0, 120, 120, 0, 1);
      pass.draw(4);
    }
    pass.end();
    device.queue.submit([encoder.finish()]);
    still.close();
  }
}
