// Scenes of stencil tests and operations.
import { canvas, depthAttachment, depthTexture, paint, pipeline } from './kit';
import type { Frame } from './kit';
import { COMPARES, type Draw } from './depth.kit';

const STENCIL: GPUTextureFormat = 'depth24plus-stencil8';
const CHOOSE = (name: string): string =>
  `
    @vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f { return whole(i); }
    @fragment fn fs() -> @location(0) vec4f { return ${name}; }
  `;

function withStencil(frame: Frame, body: Draw): GPUTexture {
  const target = canvas(frame);
  const depthStencilAttachment: GPURenderPassDepthStencilAttachment = {
    ...depthAttachment(depthTexture(frame, STENCIL)),
    stencilLoadOp: 'clear',
    stencilStoreOp: 'store',
    stencilClearValue: 2,
  };
  paint(frame.device, { colorAttachments: [target.attachment()], depthStencilAttachment }, body);
  return target.texture;
}

/** A pipeline that draws only where the stencil equals the reference. */
function shower(frame: Frame, colour: string): GPURenderPipeline {
  const face: GPUStencilFaceState = { compare: 'equal' };
  return pipeline(frame, CHOOSE(colour), {
    depth: { format: STENCIL, depthCompare: 'always', depthWriteEnabled: false, stencilFront: face, stencilBack: face },
  });
}

// Each cell applies an operation three times to stencil values 2, 1, 0 or 254, and then makes the value visible.
export function stencilOperations(frame: Frame): GPUTexture {
  const operations: GPUStencilOperation[] = [
    'keep',
    'zero',
    'replace',
    'invert',
    'increment-clamp',
    'decrement-clamp',
    'increment-wrap',
    'decrement-wrap',
  ];
  const face = (passOp: GPUStencilOperation): GPUDepthStencilState => ({
    format: STENCIL,
    depthCompare: 'always',
    depthWriteEnabled: false,
    stencilFront: { compare: 'always', passOp },
    stencilBack: { compare: 'always', passOp },
  });
  const replace = pipeline(frame, CHOOSE('vec4f(0)'), { depth: face('replace'), writeMask: 0 });
  const pipes = operations.map((operation) =>
    pipeline(frame, CHOOSE('vec4f(0)'), { depth: face(operation), writeMask: 0 })
  );
  const values = [0, 1, 2, 3, 5, 77, 252, 253, 254, 255];
  const show = values.map((_, k) => shower(frame, `vec4f(hue(${k}u), 1)`));
  return withStencil(frame, (pass) =>
    [2, 254].forEach((start, half) => {
      pipes.forEach((pipe, k) => {
        pass.setViewport((k % 4) * 32 + 2, half * 64 + Math.floor(k / 4) * 32 + 2, 28, 28, 0, 1);
        pass.setPipeline(replace);
        pass.setStencilReference(start);
        pass.draw(6);
        pass.setPipeline(pipe);
        pass.setStencilReference(77);
        for (let n = 0; n < 3; n++) pass.draw(6);
        show.forEach((shown, v) => {
          pass.setPipeline(shown);
          pass.setStencilReference(values[v] ?? 0);
          pass.draw(6);
        });
      });
    })
  );
}

// Fail, depth-fail and pass operations, comparisons, masks, and a different operation for back faces.
export function stencilTests(frame: Frame): GPUTexture {
  const code = `
    @vertex fn vs(@builtin(vertex_index) i: u32, @builtin(instance_index) n: u32) -> @builtin(position) vec4f {
      let c = select(corner(i), corner(i).yx, n == 1u); return vec4f(c.x - 1 + f32(n), c.y * 2 - 1, 0.3 + 0.5 * c.y, 1);
    }
    @fragment fn fs() -> @location(0) vec4f { return vec4f(0.2, 0.3, 0.5, 1); }`;
  const half = pipeline(
    frame,
    CHOOSE('vec4f(0.1, 0.1, 0.1, 1)').replace('whole(i)', 'rect(i, vec2f(0), vec2f(128), 0.5)'),
    { depth: { format: STENCIL, depthCompare: 'always', depthWriteEnabled: true, stencilFront: {}, stencilBack: {} } }
  );
  const tests = COMPARES.map((compare, k) =>
    pipeline(frame, code, {
      depth: {
        format: STENCIL,
        depthCompare: 'less',
        depthWriteEnabled: false,
        stencilFront: { compare, failOp: 'zero', depthFailOp: 'invert', passOp: 'increment-wrap' },
        stencilBack: { compare, failOp: 'replace', depthFailOp: 'decrement-wrap', passOp: 'keep' },
        stencilReadMask: k & 1 ? 0x0f : 0xff,
        stencilWriteMask: k & 2 ? 0x0f : 0xff,
      },
    })
  );
  const values = [0, 1, 2, 3, 0xfd, 0x0d, 0xf2, 0x12, 0xff];
  const show = values.map((_, k) => shower(frame, `vec4f(hue(${k + 2}u), 1)`));
  return withStencil(frame, (pass) =>
    tests.forEach((test, k) => {
      pass.setViewport((k % 4) * 32 + 2, Math.floor(k / 4) * 64 + 2, 28, 60, 0, 1);
      pass.setPipeline(half);
      pass.draw(6);
      pass.setPipeline(test);
      pass.setStencilReference(k & 1 ? 0x12 : 2 + (k >> 2));
      pass.draw(6, 2);
      show.forEach((shown, v) => {
        pass.setPipeline(shown);
        pass.setStencilReference(values[v] ?? 0);
        pass.draw(6);
      });
    })
  );
}
