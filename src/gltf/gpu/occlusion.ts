// Ambient occlusion in screen space: the share of the sky, weighted by the cosine, that surfaces in the picture leave
// to each pixel. Horizons are found in slices through the view direction, and integrated exactly (Jiménez et al. 2016,
// "Practical Real-Time Strategies for Accurate Indirect Occlusion").
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import { normalize, type Vec3 } from '../math';
import type { Camera } from '../scene/camera';
import { memo, NORMAL_FORMAT } from './pipelines';
import { submitAndRead } from './readback';

const { GPUBufferUsage, GPUShaderStage, GPUTextureUsage } = globals;

/**
 * Slices per pixel, and places in each direction of a slice. They differ between the pixels of a square of 4 × 4, over
 * which the result is averaged.
 */
const SLICES = 4;
const STEPS = 8;
/** Share of the radius at which occlusion begins to fade. */
const FADE = 0.4;
const FORMAT = 'r32float';

const COMMON = `
struct View {
  right: vec4f,   // to the right edge of the picture; w: pixels of a length of 1 at distance 1
  up: vec4f,      // to its upper edge; w: 1 if orthographic
  forward: vec4f, // w: radius
}
@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var surfaces: texture_2d<f32>;

@vertex fn vs(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
  return vec4f(vec2f(vec2u(i << 1, i) & vec2u(2)) * 2 - 1, 0, 1);
}

// Place of a pixel, seen from the eye.
fn placeOf(pixel: vec2i, distance: f32, size: vec2f) -> vec3f {
  let at = (vec2f(pixel) + 0.5) / size * vec2f(2, -2) + vec2f(-1, 1);
  let side = view.right.xyz * at.x + view.up.xyz * at.y;
  return side * select(distance, 1.0, view.up.w > 0) + view.forward.xyz * distance;
}

`;

const OCCLUSION = `${COMMON}
@fragment fn fs(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let pixel = vec2i(at.xy);
  let here = textureLoad(surfaces, pixel, 0);
  let normal = here.xyz;
  if (dot(normal, normal) == 0) { return vec4f(1); }
  let bounds = vec2i(textureDimensions(surfaces));
  let size = vec2f(bounds);
  let place = placeOf(pixel, here.w, size);
  let v = select(-normalize(place), -view.forward.xyz, view.up.w > 0);
  let radius = view.forward.w;
  let reach = min(radius * view.right.w / select(here.w, 1.0, view.up.w > 0), max(size.x, size.y));
  let right = normalize(view.right.xyz);
  let up = normalize(view.up.xyz);
  // Each pixel of the square has different directions and distances.
  let turn = (f32((pixel.x & 3) * 4 + (pixel.y & 3)) + 0.5) / 16;
  let shift = (f32((pixel.x + 2 * pixel.y) & 3) + 0.5) / 4;
  var visible = 0.0;
  for (var slice = 0; slice < ${SLICES}; slice++) {
    let angle = (f32(slice) + turn) * ${3.14159265 / SLICES};
    let way = vec2f(cos(angle), sin(angle));
    let d = right * way.x + up * way.y;
    let across = normalize(cross(d, v));
    let projected = normal - across * dot(normal, across);
    let length = length(projected);
    if (length < 1e-4) { visible += 1.0; continue; }
    let cosine = clamp(dot(projected, v) / length, -1.0, 1.0);
    let n = select(-1.0, 1.0, dot(d - v * dot(d, v), projected) >= 0) * acos(cosine);
    let lowest = vec2f(cos(n + 1.5707963), cos(n - 1.5707963));
    var horizon = lowest;
    for (var step = 0; step < ${STEPS}; step++) {
      let share = (f32(step) + shift) * ${1 / STEPS};
      let offset = max(share * share * reach, f32(step) + 1) * way * vec2f(1, -1);
      for (var side = 0; side < 2; side++) {
        let other = vec2i(floor(at.xy + select(-offset, offset, side == 0)));
        if (any(other < vec2i(0)) || any(other >= bounds)) { continue; }
        let there = textureLoad(surfaces, other, 0);
        if (there.w <= 0) { continue; }
        let to = placeOf(other, there.w, size) - place;
        let far = sqrt(dot(to, to));
        let weight = clamp((radius - far) / (radius * ${1 - FADE}), 0.0, 1.0);
        let seen = mix(lowest[side], dot(to, v) / max(far, 1e-20), weight);
        horizon[side] = max(horizon[side], seen);
      }
    }
    let edges = clamp(vec2f(acos(clamp(horizon.x, -1.0, 1.0)), -acos(clamp(horizon.y, -1.0, 1.0))) - n,
      vec2f(-1.5707963), vec2f(1.5707963)) + n;
    let arcs = (cosine + 2 * edges * sin(n) - cos(2 * edges - n)) * 0.25;
    visible += length * (arcs.x + arcs.y);
  }
  // A few slices may see more than there is; only the mean is within its range.
  return vec4f(visible * ${1 / SLICES});
}`;

/** Averages over a square of 4 × 4 pixels, as far as they show the same surface. */
const SMOOTHING = `${COMMON}
@group(0) @binding(2) var visibilities: texture_2d<f32>;
@fragment fn fs(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let pixel = vec2i(at.xy);
  let here = textureLoad(surfaces, pixel, 0);
  let own = textureLoad(visibilities, pixel, 0).x;
  let bounds = vec2i(textureDimensions(surfaces));
  let place = placeOf(pixel, here.w, vec2f(bounds));
  var sum = vec2f(own, 1);
  for (var i = 0; i < 16; i++) {
    let other = pixel + vec2i((i & 3) - 2, (i >> 2) - 2);
    if (all(other == pixel) || any(other < vec2i(0)) || any(other >= bounds)) { continue; }
    let there = textureLoad(surfaces, other, 0);
    let away = placeOf(other, there.w, vec2f(bounds)) - place;
    let isSame = dot(there.xyz, here.xyz) > 0.9 && abs(dot(away, here.xyz)) < 0.3 * sqrt(dot(away, away));
    sum += select(vec2f(0), vec2f(textureLoad(visibilities, other, 0).x, 1), isSame);
  }
  return vec4f(clamp(sum.x / sum.y, 0.0, 1.0));
}`;

const PIPELINES = new WeakMap<GPUDevice, Map<string, GPURenderPipeline>>();

function pipelineOf(device: GPUDevice, label: string, code: string, reads: number): GPURenderPipeline {
  let known = PIPELINES.get(device);
  if (!known) PIPELINES.set(device, (known = new Map()));
  return memo(known, label, () => {
    const { FRAGMENT } = GPUShaderStage;
    const layout = device.createBindGroupLayout({
      label,
      entries: [
        { binding: 0, visibility: FRAGMENT, buffer: {} },
        ...Array.from({ length: reads }, (_, i) => ({
          binding: i + 1,
          visibility: FRAGMENT,
          texture: { sampleType: 'unfilterable-float' as const },
        })),
      ],
    });
    const module = device.createShaderModule({ label, code });
    return device.createRenderPipeline({
      label,
      layout: device.createPipelineLayout({ bindGroupLayouts: [layout] }),
      vertex: { module },
      fragment: { module, targets: [{ format: FORMAT }] },
    });
  });
}

/**
 * Computes the visibility of the sky, 0 to 1, for each pixel; 1 in the background.
 * @param normals with distances, as from drawSurfaces
 * @param radius distance up to which surfaces hide the sky, in units of the model
 */
export async function drawOcclusion(
  device: GPUDevice,
  normals: Float32Array<ArrayBuffer>,
  { width, height }: { width: number; height: number },
  camera: Camera,
  radius: number
): Promise<Float32Array<ArrayBuffer>> {
  const texture = (format: GPUTextureFormat, usage: number): GPUTexture =>
    device.createTexture({ label: 'occlusion', size: [width, height], format, usage });
  const surfaces = texture(NORMAL_FORMAT, GPUTextureUsage.TEXTURE_BINDING | GPUTextureUsage.COPY_DST);
  device.queue.writeTexture({ texture: surfaces }, normals, { bytesPerRow: width * 16 }, [width, height]);
  const raw = texture(FORMAT, GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.TEXTURE_BINDING);
  const result = texture(FORMAT, GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC);
  const buffer = device.createBuffer({
    label: 'occlusion',
    size: 48,
    usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
  });
  device.queue.writeBuffer(buffer, 0, viewUniforms(camera, width, height, radius));
  const encoder = device.createCommandEncoder({ label: 'occlusion' });
  const draw = (label: string, code: string, reads: readonly GPUTexture[], target: GPUTexture): void => {
    const pipeline = pipelineOf(device, label, code, reads.length);
    const resources: GPUBindingResource[] = [{ buffer }, ...reads.map((each) => each.createView())];
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    const pass = encoder.beginRenderPass({
      label,
      colorAttachments: [{ view: target.createView(), loadOp: 'clear', storeOp: 'store' }],
    });
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.draw(3);
    pass.end();
  };
  draw('occlusion', OCCLUSION, [surfaces], raw);
  draw('smoothing', SMOOTHING, [surfaces, raw], result);
  const bytes = await submitAndRead(device, encoder, result);
  for (const each of [surfaces, raw, result, buffer]) each.destroy();
  return new Float32Array(bytes.buffer);
}

function viewUniforms(camera: Camera, width: number, height: number, radius: number): Float32Array<ArrayBuffer> {
  const { viewProjection: m, halfHeight, orthographic, forward } = camera;
  // The first two rows of the matrix are the axes of the picture.
  const axis = (row: number, length: number): Vec3 =>
    normalize([m[row], m[4 + row], m[8 + row]]).map((x) => x * length) as Vec3;
  const right = axis(0, (halfHeight * width) / height);
  const up = axis(1, halfHeight);
  return Float32Array.of(...right, height / (2 * halfHeight), ...up, orthographic ? 1 : 0, ...forward, radius);
}
