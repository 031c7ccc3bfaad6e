// Dunes of wax with balls in them, for examples/shading/hybrid.mjs and the benchmarks. Shadows, ambient occlusion,
// subsurface scattering and diffuse light change slowly over the picture. Ripples mirror the sun in glints smaller than
// a pixel. The scene is shaded in three ways:
//
//   pixel    everything once per pixel
//   sample   everything once per sample
//   hybrid   in fragment stages: slowly changing light once per pixel; the depth test and specular light once per
//            sample (the forward rendering of US 9,082,212, "hybrid mode")
import { texelsOf } from '../compare.mjs';
import { BALLS, CENTRE, HALF, heightAt, meshOf, VERTEX } from './hybrid-mesh.mjs';
import { CASTER, COMMON, EDGES, HEIGHTS, LIGHT, seen, SHADOWS, STAGE_LIST, STAGES, WHOLE } from './hybrid-shaders.mjs';

const TEXTURE = { COPY_SRC: 1, COPY_DST: 2, SAMPLED: 4, ATTACHMENT: 16 };
const BUFFER = { COPY_SRC: 4, COPY_DST: 8, INDEX: 16, VERTEX: 32, UNIFORM: 64, STORAGE: 128 };

/** Returns the vertex and fragment parts of the pipeline for one of the ways. */
function partsOf(device, way, { width, height, format }) {
  const isStaged = way === 'hybrid' || way === 'counted';
  const isEach = way === 'sample' || way === 'glints';
  const module = device.createShaderModule({
    code: `${isStaged ? 'enable fragment_stages;' : ''}
    ${COMMON(width / height)} ${seen(isEach ? 'sample' : 'center', isStaged)} ${LIGHT}
    ${isStaged ? STAGES(width, way === 'counted') : WHOLE}`,
  });
  const run = isStaged ? { stages: STAGE_LIST } : { entryPoint: way === 'glints' ? 'glints' : 'whole' };
  return {
    vertex: { module, entryPoint: 'vertex', buffers: [VERTEX] },
    fragment: { module, ...run, targets: [{ format }] },
    depthStencil: {
      format: 'depth32float',
      depthWriteEnabled: true,
      // The last stage of the hybrid ways does its own depth test.
      depthCompare: isStaged ? 'always' : 'less',
    },
  };
}

const upload = (device, data, usage) => {
  const buffer = device.createBuffer({ size: data.byteLength, usage: usage | BUFFER.COPY_DST });
  device.queue.writeBuffer(buffer, 0, data);
  return buffer;
};
function heightsOf(device) {
  const texels = Float32Array.from({ length: HEIGHTS * HEIGHTS }, (_, i) => {
    const [x, z] = [i % HEIGHTS, Math.floor(i / HEIGHTS)].map((k) => ((k + 0.5) / HEIGHTS) * 2 - 1);
    return heightAt(x * HALF + CENTRE[0], z * HALF + CENTRE[1]);
  });
  const size = [HEIGHTS, HEIGHTS];
  const texture = device.createTexture({ size, format: 'r32float', usage: TEXTURE.SAMPLED | TEXTURE.COPY_DST });
  device.queue.writeTexture({ texture }, texels, { bytesPerRow: HEIGHTS * 4 }, size);
  return texture;
}

/**
 * Creates the scene on a device. The ways 'hybrid' and 'counted' need the feature 'fragment-stages'. `render(way)`
 * draws a frame into `color`, and stores its depth if `keepsDepth`. 'counted' is 'hybrid' that also counts, in the
 * buffer `sets` (one u32 per pixel), how often the last stage ran. 'glints' is the specular light of 'sample' alone.
 */
export function hybridScene(device, { width, height, samples, format = 'rgba8unorm' }) {
  const size = [width, height];
  const { ATTACHMENT, SAMPLED, COPY_SRC } = TEXTURE;
  const { vertices, indices } = meshOf();
  const target = (of, sampleCount, usage) => device.createTexture({ size, format: of, sampleCount, usage });
  const color = target(format, 1, ATTACHMENT | COPY_SRC);
  const many = samples > 1 ? target(format, samples, ATTACHMENT) : null;
  const depth = target('depth32float', samples, ATTACHMENT | SAMPLED);
  const shadows = device.createTexture({
    size: [SHADOWS, SHADOWS],
    format: 'depth32float',
    usage: ATTACHMENT | SAMPLED,
  });
  const mesh = upload(device, vertices, BUFFER.VERTEX);
  const triangles = upload(device, indices, BUFFER.INDEX);
  const sets = device.createBuffer({
    size: width * height * 4,
    usage: BUFFER.STORAGE | BUFFER.COPY_SRC | BUFFER.COPY_DST,
  });
  const tick = upload(device, Float32Array.of(0), BUFFER.UNIFORM);
  const balls = upload(
    device,
    Float32Array.from(BALLS.flatMap(([x, z, above, radius]) => [x, heightAt(x, z) + above, z, radius])),
    BUFFER.UNIFORM
  );
  const compare = device.createSampler({ compare: 'less', magFilter: 'linear', minFilter: 'linear' });
  const resources = [
    shadows.createView(),
    compare,
    heightsOf(device).createView(),
    { buffer: balls },
    { buffer: tick },
  ];
  const castModule = device.createShaderModule({ code: COMMON(width / height) + CASTER });
  const cast = device.createRenderPipeline({
    layout: 'auto',
    vertex: { module: castModule, buffers: [VERTEX] },
    depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'less' },
  });
  const ways = new Map();
  function wayOf(way) {
    if (ways.has(way)) return ways.get(way);
    const pipeline = device.createRenderPipeline({
      layout: 'auto',
      ...partsOf(device, way, { width, height, format }),
      multisample: { count: samples },
      primitive: { cullMode: 'back' },
    });
    const all = way === 'counted' ? [...resources, { buffer: sets }] : resources;
    const made = {
      pipeline,
      group: device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: all.map((resource, binding) => ({ binding, resource })),
      }),
    };
    ways.set(way, made);
    return made;
  }
  const depthOf = (texture, isKept) => ({
    view: texture.createView(),
    depthLoadOp: 'clear',
    depthClearValue: 1,
    depthStoreOp: isKept ? 'store' : 'discard',
  });
  /** Records a render pass that draws the mesh. */
  function draw(encoder, { pipeline, group }, descriptor) {
    const pass = encoder.beginRenderPass(descriptor);
    pass.setPipeline(pipeline);
    if (group) pass.setBindGroup(0, group);
    pass.setVertexBuffer(0, mesh);
    pass.setIndexBuffer(triangles, 'uint32');
    pass.drawIndexed(indices.length);
    pass.end();
  }
  return {
    color,
    sets,
    /** Marks in `color` the pixels where the stored depth of the last frame has edges. Needs more than one sample. */
    renderEdges() {
      const module = device.createShaderModule({ code: EDGES(samples) });
      const encoder = device.createCommandEncoder();
      const pipeline = device.createRenderPipeline({
        layout: 'auto',
        vertex: { module },
        fragment: { module, targets: [{ format }] },
      });
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: color.createView(), loadOp: 'clear', storeOp: 'store' }],
      });
      pass.setPipeline(pipeline);
      pass.setBindGroup(
        0,
        device.createBindGroup({
          layout: pipeline.getBindGroupLayout(0),
          entries: [{ binding: 0, resource: depth.createView() }],
        })
      );
      pass.draw(3);
      pass.end();
      device.queue.submit([encoder.finish()]);
    },
    render(way, { now = 0, keepsDepth = false } = {}) {
      device.queue.writeBuffer(tick, 0, Float32Array.of(now));
      const encoder = device.createCommandEncoder();
      draw(encoder, { pipeline: cast }, { colorAttachments: [], depthStencilAttachment: depthOf(shadows, true) });
      draw(encoder, wayOf(way), {
        colorAttachments: [
          {
            view: (many ?? color).createView(),
            ...(many ? { resolveTarget: color.createView() } : {}),
            loadOp: 'clear',
            storeOp: many ? 'discard' : 'store',
            clearValue: way === 'glints' ? [0, 0, 0, 1] : [0.83, 0.85, 0.87, 1],
          },
        ],
        depthStencilAttachment: depthOf(depth, keepsDepth),
      });
      device.queue.submit([encoder.finish()]);
    },
  };
}

/** Returns the indices of pixels with specular light or depth edges: only there do the ways to shade differ. */
export async function edgesOf(device, scene) {
  scene.render('glints', { keepsDepth: true });
  const glints = await texelsOf(device, scene.color);
  scene.renderEdges();
  const edges = await texelsOf(device, scene.color);
  return (i) => glints[i * 4] > 12 || edges[i * 4] > 0;
}
