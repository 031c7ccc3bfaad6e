// Generates the WGSL of a variant from pieces, so that a material only pays for the features that it uses.
import { STUDIO_LEVELS } from '../light/studio';
import { vertexAttributes, type Variant } from './variant';

/** Sizes in bytes of the uniform structs below. */
export const FRAME_BYTES = 64;
export const DRAW_BYTES = 176;
export const materialBytes = (variant: Variant): number => 48 + 32 * variant.sources.length;

/** Bindings of a variant's textures and samplers in group 2. */
export const textureBinding = (read: number): number => 1 + read;
export const samplerBinding = (variant: Variant, sampler: number): number => 1 + variant.reads.length + sampler;

/**
 * Generates the shader of a variant with the entry points `vs` and `fs`. `fs` returns colours, or its shading rate code
 * plus 1.
 */
export function shaderCode(variant: Variant, outputKind: 'color' | 'rates' = 'color'): string {
  if (outputKind === 'rates')
    return ['enable shading_rate;', declarations(variant), vertexStage(variant), rateStage(variant)].join('\n');
  return [declarations(variant), vertexStage(variant), variant.unlit ? '' : LIGHTING, fragmentStage(variant)].join(
    '\n'
  );
}

function declarations(variant: Variant): string {
  const { reads, samplers, sources } = variant;
  return `
struct Frame {
  eye: vec4f,      // world position; w: the studio's harmonic of x² − y²
  key: vec4f,      // towards the key light; w: its strength
  linear: vec4f,   // the studio's harmonics of x, y, z, 1
  squares: vec4f,  // and of xy, yz, zx, z²
}
struct Draw {
  clip: mat4x4f,
  world: mat4x4f,
  normal0: vec4f, normal1: vec4f, normal2: vec4f, // columns; normal0.w is −1 for a mirrored draw
}
struct Material {
  baseColor: vec4f,
  emissive: vec4f, // w: alpha cutoff
  factors: vec4f,  // metallic, roughness, normal scale, occlusion strength
  ${sources.length > 0 ? `uv: array<vec4f, ${sources.length * 2}>, // two rows of each transform` : ''}
}
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var studio: texture_cube<f32>;
@group(0) @binding(2) var studioSampler: sampler;
@group(1) @binding(0) var<uniform> draw: Draw;
@group(2) @binding(0) var<uniform> material: Material;
${reads.map((_, i) => `@group(2) @binding(${textureBinding(i)}) var texture${i}: texture_2d<f32>;`).join('\n')}
${samplers.map((_, i) => `@group(2) @binding(${samplerBinding(variant, i)}) var sampler${i}: sampler;`).join('\n')}

struct Varyings {
  @builtin(position) clip: vec4f,
  ${varyings(variant)
    .map(([name, type], i) => `@location(${i}) ${name}: ${type},`)
    .join('\n  ')}
}`;
}

/** Inter-stage variables between the vertex and the fragment stage. */
function varyings(variant: Variant): [name: string, type: string][] {
  const list: [string, string][] = variant.unlit
    ? []
    : [
        ['world', 'vec3f'],
        ['normal', 'vec3f'],
      ];
  if (variant.tangents) list.push(['tangent', 'vec4f']);
  if (variant.vertexColors) list.push(['color', 'vec4f']);
  variant.sources.forEach((_, i) => list.push([`uv${i}`, 'vec2f']));
  return list;
}

function vertexStage(variant: Variant): string {
  const parameters = vertexAttributes(variant).map(
    ({ name, location, components }) => `@location(${location}) ${name}: vec${components}f`
  );
  const body = variant.unlit
    ? []
    : [
        'out.world = (draw.world * vec4f(position, 1)).xyz;',
        'out.normal = draw.normal0.xyz * normal.x + draw.normal1.xyz * normal.y + draw.normal2.xyz * normal.z;',
      ];
  if (variant.tangents)
    body.push('out.tangent = vec4f((draw.world * vec4f(tangent.xyz, 0)).xyz, tangent.w * draw.normal0.w);');
  if (variant.vertexColors) body.push('out.color = color;');
  variant.sources.forEach(({ set, transform }, i) => {
    const uv = `uv${set}`;
    body.push(
      transform
        ? `out.uv${i} = vec2f(dot(material.uv[${i * 2}].xyz, vec3f(${uv}, 1)), `
            + `dot(material.uv[${i * 2 + 1}].xyz, vec3f(${uv}, 1)));`
        : `out.uv${i} = ${uv};`
    );
  });
  return `
@vertex fn vs(${parameters.join(', ')}) -> Varyings {
  var out: Varyings;
  out.clip = draw.clip * vec4f(position, 1);
  ${body.join('\n  ')}
  return out;
}`;
}

function fragmentStage(variant: Variant): string {
  const { reads } = variant;
  const lines = reads.map((_, i) => texelRead(variant, i));
  lines.push(...baseColor(variant));
  if (variant.unlit) {
    lines.push('let color = base.rgb;');
  } else {
    lines.push(...shadedColor(variant));
  }
  lines.push(variant.alphaMode === 'BLEND' ? 'return vec4f(color * base.a, base.a);' : 'return vec4f(color, 1);');
  const facing = variant.doubleSided && !variant.unlit ? ', @builtin(front_facing) front: bool' : '';
  return `
@fragment fn fs(in: Varyings${facing}) -> @location(0) vec4f {
  ${lines.join('\n  ')}
}`;
}

function rateStage(variant: Variant): string {
  const { base } = variant.slots;
  const lines =
    variant.alphaMode !== 'MASK'
      ? []
      : [...(base === undefined ? [] : [texelRead(variant, base)]), ...baseColor(variant)];
  return `
@fragment fn fs(in: Varyings, @builtin(shading_rate) rate: u32) -> @location(0) u32 {
  ${[...lines, 'return rate + 1;'].join('\n  ')}
}`;
}

const texelRead = ({ reads }: Variant, i: number): string =>
  `let texel${i} = textureSample(texture${i}, sampler${reads[i].sampler}, in.uv${reads[i].source});`;

/** WGSL lines that compute the colour `base` and discard cut-out fragments. */
function baseColor({ slots, vertexColors, alphaMode }: Variant): string[] {
  const lines = ['var base = material.baseColor;'];
  if (slots.base !== undefined) lines.push(`base *= texel${slots.base};`);
  if (vertexColors) lines.push('base *= in.color;');
  if (alphaMode === 'MASK') lines.push('if (base.a < material.emissive.w) { discard; }');
  return lines;
}

function shadedColor(variant: Variant): string[] {
  const { slots } = variant;
  const lines = [...surfaceNormal(variant)];
  const metalRough = slots.metalRough === undefined ? '' : ` * texel${slots.metalRough}`;
  lines.push(
    `let metallic = material.factors.x${metalRough && `${metalRough}.b`};`,
    `let roughness = clamp(material.factors.y${metalRough && `${metalRough}.g`}, 0.05, 1.0);`,
    slots.occlusion === undefined
      ? 'let occlusion = 1.0;'
      : `let occlusion = 1 + material.factors.w * (texel${slots.occlusion}.r - 1);`,
    'var light = shade(base.rgb, metallic, roughness, n, normalize(frame.eye.xyz - in.world), occlusion);',
    slots.emissive === undefined
      ? 'light += material.emissive.rgb;'
      : `light += material.emissive.rgb * texel${slots.emissive}.rgb;`,
    'let color = toneMap(light);'
  );
  return lines;
}

/**
 * WGSL lines that compute the unit normal `n`. For a back face, the whole tangent frame is reversed: bumps become
 * dents.
 */
function surfaceNormal(variant: Variant): string[] {
  const side = variant.doubleSided ? 'let side = select(-1.0, 1.0, front);' : '';
  const flip = variant.doubleSided ? ' * side' : '';
  const { normal } = variant.slots;
  const lines = [side, 'let surface = normalize(in.normal);'];
  if (normal === undefined) return [...lines, `let n = surface${flip};`];
  lines.push(`let bump = (texel${normal}.xyz * 2 - 1) * vec3f(material.factors.z, material.factors.z, 1);`);
  if (variant.tangents) {
    return [
      ...lines,
      'let bitangent = cross(surface, in.tangent.xyz) * in.tangent.w;',
      `let n = normalize(in.tangent.xyz * bump.x + bitangent * bump.y + surface * bump.z)${flip};`,
    ];
  }
  // Without tangents, the directions of growing u and falling v in the surface's plane come from screen-space
  // derivatives. Screen y points down. On back faces, both are reversed, as required.
  const uv = `in.uv${variant.reads[normal].source}`;
  return [
    ...lines,
    'let acrossX = cross(dpdy(in.world), surface);',
    'let acrossY = cross(surface, dpdx(in.world));',
    `let uvX = dpdx(${uv});`,
    `let uvY = dpdy(${uv});`,
    'let tangent = -(acrossX * uvX.x + acrossY * uvY.x);',
    'let bitangent = acrossX * uvX.y + acrossY * uvY.y;',
    'let longest = max(max(dot(tangent, tangent), dot(bitangent, bitangent)), 1e-30);',
    'let shrink = inverseSqrt(longest);',
    'let n = normalize(tangent * (bump.x * shrink) + bitangent * (bump.y * shrink) '
      + `+ surface * ${variant.doubleSided ? '(bump.z * side)' : 'bump.z'});`,
  ];
}

const LIGHTING = `
// Metallic-roughness under the studio (glTF 2.0, appendix B): image-based light by split sum, and one key light.
fn shade(color: vec3f, metallic: f32, roughness: f32, n: vec3f, v: vec3f, occlusion: f32) -> vec3f {
  let f0 = mix(vec3f(0.04), color, metallic);
  let diffuse = color * (1 - metallic);
  let nv = clamp(dot(n, v), 0.001, 1.0);

  // The environment's share reflected by f0, and by a white surface: Karis's fit for mobile, 2014.
  let fit = roughness * vec4f(-1, -0.0275, -0.572, 0.022) + vec4f(1, 0.0425, 1.04, -0.04);
  let edge = min(fit.x * fit.x, exp2(-9.28 * nv)) * fit.x + fit.y;
  let share = vec2f(-1.04, 1.04) * edge + fit.zw;
  let single = f0 * share.x + share.y;
  // Light that bounces twice in a rough metal comes out again (Fdez-Agüera 2019, shortened).
  let total = share.x + share.y;
  let specular = single * (1 + f0 * (1 / total - 1));

  let irradiance = dot(frame.linear, vec4f(n, 1)) + dot(frame.squares, n.xyzz * n.yzxz)
    + frame.eye.w * (n.x * n.x - n.y * n.y);
  let mirrored = textureSampleLevel(studio, studioSampler, reflect(-v, n), roughness * ${STUDIO_LEVELS - 1}.0).r;
  let room = (diffuse * (1 - specular) * max(irradiance, 0.0) + specular * mirrored) * occlusion;

  let l = frame.key.xyz;
  let nl = clamp(dot(n, l), 0.0, 1.0);
  let h = normalize(v + l);
  let nh = clamp(dot(n, h), 0.0, 1.0);
  let a2 = roughness * roughness * roughness * roughness;
  let d = nh * nh * (a2 - 1) + 1;
  // Smith's term with its divisor 4 · nl · nv (Hammon 2017)
  let visible = 0.25 / mix(nv * nl, 0.5 * (nv + nl), roughness * roughness);
  let away = 1 - clamp(dot(v, h), 0.0, 1.0);
  let away2 = away * away;
  let fresnel = f0 + (1 - f0) * (away2 * away2 * away);
  let key = diffuse * (1 - fresnel) + fresnel * (a2 / (d * d) * visible);
  return room + key * (nl * frame.key.w);
}

// Khronos PBR Neutral: base colours under white light stay what they are, highlights are compressed.
fn toneMap(light: vec3f) -> vec3f {
  let least = min(light.r, min(light.g, light.b));
  let color = light - select(0.04, least - 6.25 * least * least, least < 0.08);
  let peak = max(color.r, max(color.g, color.b));
  let low = 0.76;
  let room = 1 - low;
  let squeezed = 1 - room * room / (peak + room - low);
  let grey = 1 - 1 / (0.15 * (peak - squeezed) + 1);
  return select(color, mix(color * (squeezed / peak), vec3f(squeezed), grey), peak >= low);
}
`;
