// Light from a panorama. A cube map of it is made on the device, whose smaller levels are filtered for rougher surfaces
// (split sum, Karis 2013); spherical harmonics for diffuse light are summed here.
/// <reference types="@webgpu/types" />
import { globals } from '../constants';
import { log2, PI, scale, sinCosDegrees, type Vec3 } from '../math';
import { environmentSampler, type Environment } from './environment';
import { halfTexels } from './half-texels';
import { shrink, type Panorama } from './panorama';

const { GPUBufferUsage, GPUTextureUsage } = globals;

/** A panorama as light. */
interface PanoramaLight {
  panorama: Panorama;
  /** Degrees by which it is turned around the vertical axis, counter-clockwise as seen from above. */
  rotation: number;
  /** Factor of its light. */
  intensity: number;
}

/** Size in texels of the faces of the cube map's first level, which is for mirrors, and number of levels. */
export const CUBE_SIZE = 128;
export const CUBE_LEVELS = 6;
/** Levels of the cube map that is filtered, down to one texel. */
const SOURCE_LEVELS = 8;
/** Directions in which each texel of a filtered level looks. */
const SAMPLES = 32;
const GROUP = 8;

const COMMON = `
fn cubeDirection(face: u32, at: vec2f) -> vec3f {
  switch face {
    case 0: { return vec3f(1, -at.y, -at.x); }
    case 1: { return vec3f(-1, -at.y, at.x); }
    case 2: { return vec3f(at.x, 1, at.y); }
    case 3: { return vec3f(at.x, -1, -at.y); }
    case 4: { return vec3f(at.x, -at.y, 1); }
    default: { return vec3f(-at.x, -at.y, -1); }
  }
}`;

const PROJECT = `${COMMON}
@group(0) @binding(0) var panorama: texture_2d<f32>;
@group(0) @binding(1) var linear: sampler;
@group(0) @binding(2) var cube: texture_storage_2d_array<rgba16float, write>;
@group(0) @binding(3) var<uniform> turn: vec4f; // turns of the panorama, factor
fn light(face: u32, at: vec2f) -> vec3f {
  let d = normalize(cubeDirection(face, at));
  let u = atan2(d.z, d.x) * ${1 / (2 * PI)} + 0.5 + turn.x;
  let v = acos(clamp(d.y, -1.0, 1.0)) * ${1 / PI};
  return textureSampleLevel(panorama, linear, vec2f(u, v), 0).rgb;
}
@compute @workgroup_size(${GROUP}, ${GROUP}) fn main(@builtin(global_invocation_id) id: vec3u) {
  let step = ${2 / CUBE_SIZE};
  let corner = vec2f(id.xy) * step - 1;
  let sum = light(id.z, corner + step * vec2f(0.25, 0.25)) + light(id.z, corner + step * vec2f(0.75, 0.25))
    + light(id.z, corner + step * vec2f(0.25, 0.75)) + light(id.z, corner + step * vec2f(0.75, 0.75));
  textureStore(cube, id.xy, id.z, vec4f(min(sum * (0.25 * turn.y), vec3f(65504)), 1));
}`;

const HALVE = `
@group(0) @binding(0) var larger: texture_2d_array<f32>;
@group(0) @binding(1) var smaller: texture_storage_2d_array<rgba16float, write>;
@compute @workgroup_size(${GROUP}, ${GROUP}) fn main(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= textureDimensions(smaller))) { return; }
  let at = id.xy * 2;
  let sum = textureLoad(larger, at, id.z, 0) + textureLoad(larger, at + vec2u(1, 0), id.z, 0)
    + textureLoad(larger, at + vec2u(0, 1), id.z, 0) + textureLoad(larger, at + vec2u(1, 1), id.z, 0);
  textureStore(smaller, id.xy, id.z, sum * 0.25);
}`;

const FILTER = `${COMMON}
@group(0) @binding(0) var source: texture_cube<f32>;
@group(0) @binding(1) var linear: sampler;
@group(0) @binding(2) var filtered: texture_storage_2d_array<rgba16float, write>;
@group(0) @binding(3) var<uniform> samples: array<vec4f, ${2 * SAMPLES}>; // directions; level, weight
@compute @workgroup_size(${GROUP}, ${GROUP}) fn main(@builtin(global_invocation_id) id: vec3u) {
  let size = textureDimensions(filtered);
  if (any(id.xy >= size)) { return; }
  let n = normalize(cubeDirection(id.z, (vec2f(id.xy) + 0.5) * 2 / vec2f(size) - 1));
  let t = normalize(cross(select(vec3f(0, 1, 0), vec3f(1, 0, 0), abs(n.y) > 0.9), n));
  let b = cross(n, t);
  var light = vec3f(0);
  for (var i = 0u; i < ${2 * SAMPLES}; i += 2) {
    let d = samples[i].xyz;
    let how = samples[i + 1];
    light += textureSampleLevel(source, linear, t * d.x + b * d.y + n * d.z, how.x).rgb * how.y;
  }
  textureStore(filtered, id.xy, id.z, vec4f(light, 1));
}`;

/** Directions reflected by the GGX lobe around +Z, their level of the source, and their weights. */
function lobe(roughness: number): Float32Array {
  const alpha = roughness * roughness;
  const a2 = alpha * alpha;
  const data = new Float32Array(SAMPLES * 8);
  let total = 0;
  for (let i = 0; i < SAMPLES; i++) {
    const t = (i + 0.5) / SAMPLES;
    const cosine = Math.sqrt((1 - t) / (1 + (a2 - 1) * t));
    const sine = Math.sqrt(1 - cosine * cosine);
    const angle = sinCosDegrees(i * 137.50776405003785); // The golden angle distributes them evenly.
    const z = 2 * cosine * cosine - 1;
    const d = cosine * cosine * (a2 - 1) + 1;
    // Solid angle that a sample stands for, in texels of the first level: a quarter of the lobe's density.
    const texels = ((4 * PI * d * d) / (a2 * SAMPLES)) * ((6 * CUBE_SIZE * CUBE_SIZE) / (4 * PI));
    const level = Math.min(SOURCE_LEVELS - 1, Math.max(0, log2(texels) / 2 + 0.5));
    const weight = Math.max(0, z);
    data.set([2 * cosine * sine * angle.cos, 2 * cosine * sine * angle.sin, z, 0, level, weight], i * 8);
    total += weight;
  }
  for (let i = 5; i < data.length; i += 8) data[i] /= total;
  return data;
}

/** Creates the cube map that an environment of a panorama is filtered to. */
export const createCube = (device: GPUDevice): GPUTexture =>
  device.createTexture({
    label: 'environment',
    size: [CUBE_SIZE, CUBE_SIZE, 6],
    mipLevelCount: CUBE_LEVELS,
    format: 'rgba16float',
    usage:
      GPUTextureUsage.TEXTURE_BINDING
      | GPUTextureUsage.STORAGE_BINDING
      | GPUTextureUsage.COPY_SRC
      | GPUTextureUsage.COPY_DST,
  });

/** Makes the light of a panorama on a device. */
export function imageEnvironment(device: GPUDevice, { panorama, rotation, intensity }: PanoramaLight): Environment {
  const { STORAGE_BINDING, TEXTURE_BINDING, COPY_SRC, COPY_DST } = GPUTextureUsage;
  const texture = (label: string, size: number[], mipLevelCount: number, usage: number): GPUTexture =>
    device.createTexture({ label, size, mipLevelCount, format: 'rgba16float', usage: usage | TEXTURE_BINDING });
  const flat = texture('panorama', [panorama.width, panorama.height], 1, COPY_DST);
  device.queue.writeTexture({ texture: flat }, halfTexels(panorama.rgb), { bytesPerRow: panorama.width * 8 }, [
    panorama.width,
    panorama.height,
  ]);
  const faces = [CUBE_SIZE, CUBE_SIZE, 6];
  const source = texture('unfiltered environment', faces, SOURCE_LEVELS, STORAGE_BINDING | COPY_SRC);
  const cube = createCube(device);
  const sampler = environmentSampler(device);
  const panoramaSampler = device.createSampler({
    label: 'panorama',
    addressModeU: 'repeat',
    magFilter: 'linear',
    minFilter: 'linear',
  });
  const turn = Float32Array.of(rotation / 360, intensity, 0, 0);
  encodeCube(device, { flat, source, cube, sampler, panoramaSampler, turn });
  source.destroy();
  return {
    kind: 'image',
    levels: CUBE_LEVELS,
    harmonics: harmonicsOf(panorama, rotation, intensity),
    cube,
    view: cube.createView({ dimension: 'cube' }),
    sampler,
    panorama: { view: flat.createView(), sampler: panoramaSampler, turn },
    bytes: 8 * (panorama.width * panorama.height + 8 * CUBE_SIZE * CUBE_SIZE),
    destroy: () => {
      cube.destroy();
      flat.destroy();
    },
  };
}

interface CubeParts {
  flat: GPUTexture;
  source: GPUTexture;
  cube: GPUTexture;
  sampler: GPUSampler;
  panoramaSampler: GPUSampler;
  turn: Float32Array<ArrayBuffer>;
}

function encodeCube(device: GPUDevice, { flat, source, cube, sampler, panoramaSampler, turn }: CubeParts): void {
  const encoder = device.createCommandEncoder({ label: 'environment' });
  const buffers: GPUBuffer[] = [];
  const uniform = (data: Float32Array<ArrayBuffer>): GPUBindingResource => {
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ label: 'environment', size: data.byteLength, usage });
    device.queue.writeBuffer(buffer, 0, data);
    buffers.push(buffer);
    return { buffer };
  };
  const level = (of: GPUTexture, baseMipLevel: number): GPUTextureView =>
    of.createView({ dimension: '2d-array', baseMipLevel, mipLevelCount: 1 });
  const { project, halve, filter } = pipelinesOf(device);
  const run = (pipeline: GPUComputePipeline, size: number, resources: GPUBindingResource[]): void => {
    const pass = encoder.beginComputePass({ label: pipeline.label });
    pass.setPipeline(pipeline);
    const entries = resources.map((resource, binding) => ({ binding, resource }));
    pass.setBindGroup(0, device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries }));
    pass.dispatchWorkgroups(Math.ceil(size / GROUP), Math.ceil(size / GROUP), 6);
    pass.end();
  };
  run(project, CUBE_SIZE, [flat.createView(), panoramaSampler, level(source, 0), uniform(turn)]);
  for (let i = 1; i < SOURCE_LEVELS; i++) run(halve, CUBE_SIZE >> i, [level(source, i - 1), level(source, i)]);
  // The first level is for mirrors.
  encoder.copyTextureToTexture({ texture: source }, { texture: cube }, [CUBE_SIZE, CUBE_SIZE, 6]);
  for (let i = 1; i < CUBE_LEVELS; i++) {
    const samples = uniform(lobe(i / (CUBE_LEVELS - 1)) as Float32Array<ArrayBuffer>);
    run(filter, CUBE_SIZE >> i, [source.createView({ dimension: 'cube' }), sampler, level(cube, i), samples]);
  }
  device.queue.submit([encoder.finish()]);
  for (const buffer of buffers) buffer.destroy();
}

type CubePipelines = Record<'project' | 'halve' | 'filter', GPUComputePipeline>;
const PIPELINES = new WeakMap<GPUDevice, CubePipelines>();

function pipelinesOf(device: GPUDevice): CubePipelines {
  let known = PIPELINES.get(device);
  if (!known) {
    const pipeline = (label: string, code: string): GPUComputePipeline =>
      device.createComputePipeline({
        label,
        layout: 'auto',
        compute: { module: device.createShaderModule({ label, code }) },
      });
    known = {
      project: pipeline('project the environment', PROJECT),
      halve: pipeline('halve the environment', HALVE),
      filter: pipeline('filter the environment', FILTER),
    };
    PIPELINES.set(device, known);
  }
  return known;
}

/** Coefficients of 1, x, y, z, xy, yz, zx, z², x²−y² for irradiance over π (Ramamoorthi and Hanrahan 2001). */
function harmonicsOf(panorama: Panorama, rotation: number, intensity: number): Environment['harmonics'] {
  const { width, height, rgb } = shrink(panorama, 64);
  const sums = Array.from({ length: 9 }, (): Vec3 => [0, 0, 0]);
  let sphere = 0;
  for (let row = 0; row < height; row++) {
    const { sin, cos } = sinCosDegrees(((row + 0.5) / height) * 180);
    sphere += sin * width;
    for (let column = 0; column < width; column++) {
      // The middle column looks along +X.
      const turn = sinCosDegrees(((column + 0.5) / width) * 360 - 180 - rotation);
      const [x, y, z] = [sin * turn.cos, cos, sin * turn.sin];
      const basis = [1, x, y, z, x * y, y * z, z * x, 3 * z * z - 1, x * x - y * y];
      const at = (row * width + column) * 3;
      basis.forEach((value, k) => {
        for (let c = 0; c < 3; c++) sums[k][c] += rgb[at + c] * value * sin;
      });
    }
  }
  // Squared norms of the basis times the bands of the cosine lobe over π (1, 2/3, 1/4), over the sphere's area.
  const factors = [1, 2, 2, 2, 15 / 4, 15 / 4, 15 / 4, 5 / 16, 15 / 16].map((f) => (f * intensity) / sphere);
  const [one, x, y, z, xy, yz, zx, zz, xxyy] = sums.map((sum, k) => scale(sum, factors[k]));
  const less: Vec3 = [one[0] - zz[0], one[1] - zz[1], one[2] - zz[2]];
  return [less, x, y, z, xy, yz, zx, scale(zz, 3), xxyy];
}
