import {
  bufferOf,
  CUBE_LAYOUT,
  cleared,
  clearedDepth,
  contextOf,
  DEPTH,
  lookFrom,
  makeCube,
  multiply,
  nextFrame,
  normalize,
  openDevice,
  orthographic,
  perspective,
  scaling,
  targetOf,
  translation,
  turnX,
  turnY,
  type Matrix,
  type Page,
} from './kit';

const SHADER = `
struct Scene { view: mat4x4f, light: mat4x4f, toLight: vec4f }
struct Thing { model: mat4x4f, color: vec4f }
@group(0) @binding(0) var<uniform> scene: Scene;
@group(0) @binding(1) var<uniform> things: array<Thing, 4>;
@group(1) @binding(0) var shadows: texture_depth_2d;
@group(1) @binding(1) var compare: sampler_comparison;
struct Corner {
  @builtin(position) position: vec4f, @location(0) normal: vec3f, @location(1) shadow: vec3f, @location(2) color: vec3f,
}
@vertex fn shadowVertex(@location(0) position: vec3f, @builtin(instance_index) i: u32) -> @builtin(position) vec4f {
  return scene.light * things[i].model * vec4f(position, 1);
}
@vertex fn vertex(@location(0) position: vec3f, @location(1) normal: vec3f, @builtin(instance_index) i: u32) -> Corner {
  let world = things[i].model * vec4f(position, 1);
  let seen = (scene.light * world).xyz;
  let shadow = vec3f(seen.xy * vec2f(0.5, -0.5) + 0.5, seen.z);
  return Corner(scene.view * world, (things[i].model * vec4f(normal, 0)).xyz, shadow, things[i].color.rgb);
}
override side: f32 = 256;
@fragment fn fragment(in: Corner) -> @location(0) vec4f {
  var lit = 0.0;
  for (var y = -1; y <= 1; y++) {
    for (var x = -1; x <= 1; x++) {
      let at = in.shadow.xy + vec2f(f32(x), f32(y)) / side;
      lit += textureSampleCompare(shadows, compare, at, in.shadow.z - 0.006);
    }
  }
  let light = max(0, dot(normalize(in.normal), scene.toLight.xyz)) * lit / 9;
  return vec4f(in.color * (0.25 + 0.75 * light), 1);
}`;
const SIDE = 256;
const AT = (z: number): Matrix => translation([z * 0.4, 0, z]);
const THINGS: [Matrix, number[]][] = [
  [multiply(translation([0, -1.6, 0]), scaling([6, 0.1, 6])), [0.85, 0.85, 0.8, 1]],
  [multiply(AT(0), turnY(0.3)), [0.9, 0.35, 0.2, 1]],
  [multiply(AT(-3), turnY(-0.2), scaling([0.6, 1.5, 0.6])), [0.2, 0.6, 0.9, 1]],
  [multiply(AT(2.6), turnX(0.4), turnY(0.4), scaling([0.5, 0.5, 0.5])), [0.3, 0.8, 0.35, 1]],
];

/** Depths as seen from the light, in a separate pass, then compared with nine reads per pixel. */
export async function shadowMapping(page: Page): Promise<void> {
  const canvas = page.addCanvas(240, 160);
  const device = await openDevice(page);
  const { context, format } = contextOf(canvas, device);
  const module = device.createShaderModule({ code: SHADER });
  const first = device.createBindGroupLayout({
    entries: [0, 1].map((binding) => ({
      binding,
      visibility: GPUShaderStage.VERTEX | GPUShaderStage.FRAGMENT,
      buffer: {},
    })),
  });
  const second = device.createBindGroupLayout({
    entries: [
      { binding: 0, visibility: GPUShaderStage.FRAGMENT, texture: { sampleType: 'depth' } },
      { binding: 1, visibility: GPUShaderStage.FRAGMENT, sampler: { type: 'comparison' } },
    ],
  });
  const layoutOf = (bindGroupLayouts: GPUBindGroupLayout[]): GPUPipelineLayout =>
    device.createPipelineLayout({ bindGroupLayouts });
  const casting = await device.createRenderPipelineAsync({
    layout: layoutOf([first]),
    primitive: { cullMode: 'back' },
    vertex: { module, entryPoint: 'shadowVertex', buffers: [CUBE_LAYOUT] },
    depthStencil: { ...DEPTH, format: 'depth32float' },
  });
  const drawing = await device.createRenderPipelineAsync({
    layout: layoutOf([first, second]),
    primitive: { cullMode: 'back' },
    depthStencil: DEPTH,
    vertex: { module, entryPoint: 'vertex', buffers: [CUBE_LAYOUT] },
    fragment: { module, entryPoint: 'fragment', targets: [{ format }], constants: { side: SIDE } },
  });
  const map = device.createTexture({
    size: [SIDE, SIDE],
    format: 'depth32float',
    usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING,
  });
  const view = multiply(perspective(2.2, canvas.width / canvas.height, 1, 40), lookFrom([4, 5, 9]));
  const light = multiply(orthographic(6.5, 20), lookFrom([-5, 8, 3]));
  const scene = new Float32Array([...view, ...light, ...normalize([-5, 8, 3]), 0]);
  const things = new Float32Array(THINGS.flat(2));
  const groups = [
    device.createBindGroup({
      layout: first,
      entries: [scene, things].map((data, binding) => ({
        binding,
        resource: { buffer: bufferOf(device, data, GPUBufferUsage.UNIFORM) },
      })),
    }),
    device.createBindGroup({
      layout: second,
      entries: [
        { binding: 0, resource: map.createView() },
        { binding: 1, resource: device.createSampler({ compare: 'less', magFilter: 'linear', minFilter: 'linear' }) },
      ],
    }),
  ];
  const { vertices, indices } = makeCube(device);
  const depth = targetOf(device, canvas, 'depth24plus');
  await nextFrame();
  const encoder = device.createCommandEncoder();
  const draw = (descriptor: GPURenderPassDescriptor, pipeline: GPURenderPipeline, used: GPUBindGroup[]): void => {
    const pass = encoder.beginRenderPass(descriptor);
    pass.setPipeline(pipeline);
    for (const [i, group] of used.entries()) pass.setBindGroup(i, group);
    pass.setVertexBuffer(0, vertices);
    pass.setIndexBuffer(indices, 'uint16');
    pass.drawIndexed(36, THINGS.length);
    pass.end();
  };
  draw({ colorAttachments: [], depthStencilAttachment: clearedDepth(map) }, casting, groups.slice(0, 1));
  draw(
    {
      colorAttachments: [cleared(context.getCurrentTexture().createView(), [0.55, 0.7, 0.9, 1])],
      depthStencilAttachment: clearedDepth(depth),
    },
    drawing,
    groups
  );
  device.queue.submit([encoder.finish()]);
}
