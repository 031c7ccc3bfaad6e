// node examples/compute/deferred.mjs [deferred.png]
// Deferred shading with 8 samples per pixel: a render pass stores colours and normals, and a compute shader lights each
// pixel once for every different value that it holds, and not once for every sample. Light is tone-mapped before the
// values of a pixel are averaged, so that edges of bright surfaces stay smooth. Needs `npm run build`.
import { writeFileSync } from 'node:fs';
import { encode } from 'fast-png';
import { create, globals } from 'rasterloom';

const { GPUBufferUsage, GPUMapMode, GPUTextureUsage } = globals;
const [file = 'deferred.png'] = process.argv.slice(2);
const width = 640;
const height = 384;
const sampleCount = 8;
const lights = 24;

const adapter = await create().requestAdapter();
const device = await adapter.requestDevice({
  requiredFeatures: ['multisample-storage-textures', 'extended-sample-counts'],
});
device.addEventListener('uncapturederror', ({ error }) => {
  console.error(error.message);
  process.exitCode = 1;
});

// Camera space: the eye is at the origin and looks along −z; 1/z is stored as depth.
const drawing = device.createShaderModule({
  code: `
  const COLUMNS = 64u;
  const ROWS = 32u;
  struct Corner {
    @builtin(position) position: vec4f,
    @location(0) normal: vec3f,
    @location(1) @interpolate(flat) albedo: vec3f,
  }
  fn project(at: vec3f) -> vec4f {
    return vec4f(at.x * 1.5, at.y * 1.5 * ${width}.0 / ${height}.0, 1, -at.z);
  }
  @vertex fn ball(@builtin(vertex_index) i: u32, @builtin(instance_index) k: u32) -> Corner {
    let cell = i / 6;
    let corner = array(vec2u(0, 0), vec2u(1, 0), vec2u(0, 1), vec2u(0, 1), vec2u(1, 0), vec2u(1, 1))[i % 6];
    let at = vec2f(vec2u(cell % COLUMNS, cell / COLUMNS) + corner) / vec2f(f32(COLUMNS), f32(ROWS));
    let around = at.x * 6.2831853;
    let down = at.y * 3.14159265;
    let normal = vec3f(cos(around) * sin(down), cos(down), sin(around) * sin(down));
    let place = vec3f(f32(k % 5) * 1.5 - 3, 0, -4 - f32(k / 5) * 1.7);
    let albedo = 0.35 + 0.6 * fract(vec3f(0.37, 0.59, 0.83) * f32(k * k + 1));
    return Corner(project(place + normal * 0.6), normal, albedo);
  }
  @vertex fn ground(@builtin(vertex_index) i: u32) -> Corner {
    let corner = array(vec2f(-1, 0), vec2f(1, 0), vec2f(-1, 1), vec2f(-1, 1), vec2f(1, 0), vec2f(1, 1))[i];
    return Corner(project(vec3f(corner.x * 30, -0.6, -1.5 - corner.y * 38)), vec3f(0, 1, 0), vec3f(0.5));
  }
  struct Stored { @location(0) albedo: vec4f, @location(1) normal: vec4f }
  // Runs once per pixel and triangle, so that a pixel holds one value for each triangle that covers samples of it.
  @fragment fn keep(corner: Corner) -> Stored {
    return Stored(vec4f(corner.albedo, 1), vec4f(normalize(corner.normal), 0));
  }`,
});
const lighting = device.createShaderModule({
  code: `
  enable multisample_storage_textures;
  @group(0) @binding(0) var albedos: texture_multisampled_2d<f32>;
  @group(0) @binding(1) var normals: texture_multisampled_2d<f32>;
  @group(0) @binding(2) var depths: texture_depth_multisampled_2d;
  @group(0) @binding(3) var picture: texture_storage_2d<rgba8unorm, write>;
  @group(0) @binding(4) var<storage, read_write> lit: atomic<u32>;

  fn light(at: vec3f, normal: vec3f, albedo: vec3f) -> vec3f {
    var sum = albedo * 0.02;
    for (var k = 0u; k < ${lights}; k++) {
      let turn = f32(k) * 2.39996;
      let place = vec3f(cos(turn) * f32(k % 7) * 0.6, -0.2 + f32(k % 3) * 0.5, -5.5 + sin(turn) * f32(k % 5) * 0.7);
      let color = 0.5 + 0.5 * cos(vec3f(0, 2.1, 4.2) + f32(k));
      let away = place - at;
      sum += albedo * color * max(dot(normal, normalize(away)), 0) * 2.5 / (0.2 + dot(away, away));
    }
    return sum;
  }

  @compute @workgroup_size(8, 8) fn shade(@builtin(global_invocation_id) id: vec3u) {
    let pixel = id.xy;
    if (any(pixel >= textureDimensions(albedos))) { return; }
    var color = vec3f();
    var remaining = (1u << textureNumSamples(albedos)) - 1;
    while (remaining != 0) {
      let albedo = textureLoadSamples(albedos, pixel, remaining);
      let normal = textureLoadSamples(normals, pixel, remaining);
      let samples = albedo.mask & normal.mask & remaining;
      let depth = textureLoadSample(depths, pixel, firstTrailingBit(samples)).value;
      if (albedo.value.a > 0) {
        let ray = (vec2f(pixel) + 0.5) / vec2f(${width}, ${height}) * vec2f(2, -2) + vec2f(-1, 1);
        let at = vec3f(ray.x / 1.5, ray.y / 1.5 * ${height}.0 / ${width}.0, -1) / depth;
        let radiance = light(at, normal.value.xyz, albedo.value.rgb);
        color += radiance / (1 + radiance) * f32(countOneBits(samples));
        atomicAdd(&lit, 1);
      } else {
        color += vec3f(0.03, 0.05, 0.08) * f32(countOneBits(samples));
      }
      remaining &= ~samples;
    }
    textureStore(picture, pixel, vec4f(pow(color / ${sampleCount}, vec3f(1 / 2.2)), 1));
  }`,
});

const { COPY_SRC, RENDER_ATTACHMENT, STORAGE_BINDING, TEXTURE_BINDING } = GPUTextureUsage;
const sampled = (format) =>
  device.createTexture({ size: [width, height], format, sampleCount, usage: RENDER_ATTACHMENT | TEXTURE_BINDING });
const formats = ['rgba8unorm', 'rgba16float'];
const [albedos, normals] = formats.map(sampled);
const depths = sampled('depth32float');
const picture = device.createTexture({
  size: [width, height],
  format: 'rgba8unorm',
  usage: STORAGE_BINDING | COPY_SRC,
});
const buffer = (size, usage) => device.createBuffer({ size, usage });
const lit = buffer(4, GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC);
const result = buffer(width * height * 4 + 4, GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST);

const draw = (entryPoint) =>
  device.createRenderPipeline({
    layout: 'auto',
    vertex: { module: drawing, entryPoint },
    fragment: { module: drawing, targets: formats.map((format) => ({ format })) },
    depthStencil: { format: 'depth32float', depthCompare: 'greater', depthWriteEnabled: true },
    multisample: { count: sampleCount },
  });
const shade = device.createComputePipeline({ layout: 'auto', compute: { module: lighting } });

const encoder = device.createCommandEncoder();
const pass = encoder.beginRenderPass({
  colorAttachments: [albedos, normals].map((view) => ({ view, loadOp: 'clear', storeOp: 'store' })),
  depthStencilAttachment: { view: depths, depthClearValue: 0, depthLoadOp: 'clear', depthStoreOp: 'store' },
});
pass.setPipeline(draw('ground'));
pass.draw(6);
pass.setPipeline(draw('ball'));
pass.draw(64 * 32 * 6, 15);
pass.end();
const shading = encoder.beginComputePass();
shading.setPipeline(shade);
const resources = [albedos, normals, depths, picture].map((texture) => texture.createView());
shading.setBindGroup(
  0,
  device.createBindGroup({
    layout: shade.getBindGroupLayout(0),
    entries: [...resources, { buffer: lit }].map((resource, binding) => ({ binding, resource })),
  })
);
shading.dispatchWorkgroups(Math.ceil(width / 8), Math.ceil(height / 8));
shading.end();
encoder.copyTextureToBuffer({ texture: picture }, { buffer: result, bytesPerRow: width * 4 }, [width, height]);
encoder.copyBufferToBuffer(lit, 0, result, width * height * 4, 4);
device.queue.submit([encoder.finish()]);
await result.mapAsync(GPUMapMode.READ);
const pixels = new Uint8Array(result.getMappedRange());
const [count] = new Uint32Array(pixels.buffer, pixels.byteOffset + width * height * 4, 1);
console.log(
  `Wrote ${file}: ${(count / width / height).toFixed(2)} values of a pixel were lit, of ${sampleCount} samples.`
);
writeFileSync(file, encode({ width, height, data: pixels.subarray(0, width * height * 4), channels: 4 }));
device.destroy();
