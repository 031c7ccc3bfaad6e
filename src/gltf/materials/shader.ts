// Generates the WGSL of a variant from pieces, so that a material only pays for the features that it uses.
import { layerVectors, type LayerName } from './layers';
import { isSurfaceKind, PLAIN_SCENE, type OutputKind, type SceneShader } from './scene-shader';
import { lightDeclarations, shadedColor, shadingFunctions } from './shading';
import { DRAW_MEMBERS, surfaceStage, surfaceVaryings, surfaceVertex } from './surface-stage';
import { vertexAttributes, type Variant } from './variant';

/** Size in bytes of the uniform struct of a draw: for pictures, and for what surfaces are. */
export const DRAW_BYTES = 176;
export const drawBytes = (kind: OutputKind): number =>
  DRAW_BYTES + (kind === 'surface' ? 32 : kind === 'motion' ? 80 : 0);

const layerBytes = ({ layers }: Variant): number => layers.reduce((sum, name) => sum + 16 * layerVectors(name), 0);
/** Offset in floats of the texture transforms in the uniforms of a material. */
export const transformOffset = (variant: Variant): number => 12 + layerBytes(variant) / 4;
export const materialBytes = (variant: Variant): number => 48 + layerBytes(variant) + 32 * variant.sources.length;

/** Bindings of a variant's textures and samplers in group 2. */
export const textureBinding = (read: number): number => 1 + read;
export const samplerBinding = (variant: Variant, sampler: number): number => 1 + variant.reads.length + sampler;

/** Generates the shader of a variant with the entry points `vs` and `fs`. */
export function shaderCode(variant: Variant, outputKind: OutputKind = 'color', scene = PLAIN_SCENE): string {
  if (outputKind === 'depth')
    return [declarations(variant, scene, 'depth', VIEW), vertexStage(variant, 'depth'), cutStage(variant)].join('\n');
  if (outputKind === 'rates')
    return [
      'enable shading_rate;',
      declarations(variant, scene, outputKind),
      vertexStage(variant, outputKind),
      rateStage(variant),
    ].join('\n');
  if (isSurfaceKind(outputKind))
    return [
      declarations(variant, scene, outputKind),
      vertexStage(variant, outputKind),
      surfaceStage(variant, outputKind, [...variant.reads.map((_, i) => texelRead(variant, i)), ...cutOut(variant)]),
    ].join('\n');
  return [
    declarations(variant, scene, outputKind),
    vertexStage(variant, outputKind),
    variant.unlit ? '' : shadingFunctions(variant, scene, outputKind),
    fragmentStage(variant, scene, outputKind),
  ].join('\n');
}

const layerType = (name: LayerName): string =>
  layerVectors(name) === 1 ? 'vec4f' : `array<vec4f, ${layerVectors(name)}>`;

/** The uniforms of group 0 for a shadow map. */
const VIEW = `
struct View {
  clip: mat4x4f,   // of the map
  strokes: vec4f,  // half the width of lines, and of points, in clip space
}
@group(0) @binding(0) var<uniform> view: View;`;

function declarations(
  variant: Variant,
  scene: SceneShader,
  outputKind: OutputKind,
  frame = lightDeclarations(variant, scene)
): string {
  const { reads, samplers, sources, layers } = variant;
  return `
${frame}
struct Draw {
  clip: mat4x4f,
  world: mat4x4f,
  // Columns; normal0.w is −1 for a mirrored draw, normal1.w and normal2.w are half the width of lines in clip space.
  normal0: vec4f, normal1: vec4f, normal2: vec4f,
  ${isSurfaceKind(outputKind) ? DRAW_MEMBERS[outputKind] : ''}
}
struct Material {
  baseColor: vec4f,
  emissive: vec4f, // w: alpha cutoff
  factors: vec4f,  // metallic, roughness, normal scale, occlusion strength
  ${layers.map((name) => `${name}: ${layerType(name)},`).join(' ')}
  ${sources.length > 0 ? `uv: array<vec4f, ${sources.length * 2}>, // two rows of each transform` : ''}
}
@group(1) @binding(0) var<uniform> draw: Draw;
@group(2) @binding(0) var<uniform> material: Material;
${reads.map((_, i) => `@group(2) @binding(${textureBinding(i)}) var texture${i}: texture_2d<f32>;`).join('\n')}
${samplers.map((_, i) => `@group(2) @binding(${samplerBinding(variant, i)}) var sampler${i}: sampler;`).join('\n')}

struct Varyings {
  @builtin(position) clip: vec4f,
  ${varyings(variant, outputKind)
    .map(([name, type], i) => `@location(${i}) ${type === 'vec2u' ? '@interpolate(flat) ' : ''}${name}: ${type},`)
    .join('\n  ')}
}`;
}

/** Inter-stage variables between the vertex and the fragment stage. */
function varyings(variant: Variant, outputKind: OutputKind): [name: string, type: string][] {
  const list: [string, string][] = variant.unlit
    ? []
    : [
        ['world', 'vec3f'],
        ['normal', 'vec3f'],
      ];
  if (variant.tangents) list.push(['tangent', 'vec4f']);
  if (variant.vertexColors) list.push(['color', 'vec4f']);
  if (variant.layers.includes('transmission')) list.push(['size', 'f32']);
  variant.sources.forEach((_, i) => list.push([`uv${i}`, 'vec2f']));
  if (isSurfaceKind(outputKind)) list.push(...surfaceVaryings(outputKind));
  return list;
}

/** WGSL of a position of a draw in clip space. */
const clipOf = (position: string, outputKind: OutputKind): string =>
  outputKind === 'depth' ? `view.clip * (draw.world * ${position})` : `draw.clip * ${position}`;

function vertexStage(variant: Variant, outputKind: OutputKind): string {
  if (variant.topology !== 'triangles') return strokeStage(variant, outputKind);
  const parameters = vertexAttributes(variant).map(
    ({ name, location, components }) => `@location(${location}) ${name}: vec${components}f`
  );
  const body: string[] = [];
  let [position, normal, tangent] = ['vec4f(position, 1)', 'normal', 'vec4f(tangent.xyz, 0)'];
  if (variant.instanced) {
    for (let column = 0; column < 4; column++) parameters.push(`@location(${8 + column}) place${column}: vec4f`);
    body.push('let place = mat4x4f(place0, place1, place2, place3);', 'let placed = place * vec4f(position, 1);');
    position = 'placed';
    if (!variant.unlit) {
      const column = (a: number, b: number): string => `cross(place${a}.xyz, place${b}.xyz)`;
      body.push(
        `let turned = ${column(1, 2)} * normal.x + ${column(2, 0)} * normal.y + ${column(0, 1)} * normal.z;`,
        `let turnedSide = select(1.0, -1.0, dot(place0.xyz, ${column(1, 2)}) < 0);`,
        // Instances of other sizes must not exceed single precision.
        'let turnedNormal = turned * turnedSide / max(max(abs(turned.x), abs(turned.y)), max(abs(turned.z), 1e-30));'
      );
      normal = 'turnedNormal';
    }
    if (variant.tangents) {
      body.push('let placedTangent = place * vec4f(tangent.xyz, 0);');
      tangent = 'placedTangent';
    }
  }
  body.push(`out.clip = ${clipOf(position, outputKind)};`);
  if (isSurfaceKind(outputKind))
    body.push(
      ...surfaceVertex(outputKind, 'out.clip', `draw.next * ${variant.instanced ? 'place * ' : ''}vec4f(next, 1)`)
    );
  if (!variant.unlit)
    body.push(
      `out.world = (draw.world * ${position}).xyz;`,
      `out.normal = draw.normal0.xyz * ${normal}.x + draw.normal1.xyz * ${normal}.y + draw.normal2.xyz * ${normal}.z;`
    );
  if (variant.tangents) body.push(`out.tangent = vec4f((draw.world * ${tangent}).xyz, tangent.w * draw.normal0.w);`);
  if (variant.vertexColors) body.push('out.color = color;');
  if (variant.layers.includes('transmission'))
    body.push(`out.size = length(${variant.instanced ? '(draw.world * vec4f(place0.xyz, 0))' : 'draw.world[0]'}.xyz);`);
  variant.sources.forEach(({ set }, i) => body.push(`out.uv${i} = ${textureCoordinates(variant, i, `uv${set}`)};`));
  return `
@vertex fn vs(${parameters.join(', ')}) -> Varyings {
  var out: Varyings;
  ${body.join('\n  ')}
  return out;
}`;
}

/** WGSL of a set of texture coordinates after its transform. */
function textureCoordinates({ sources }: Variant, i: number, uv: string): string {
  if (!sources[i].transform) return uv;
  const row = (k: number): string => `dot(material.uv[${i * 2 + k}].xyz, vec3f(${uv}, 1))`;
  return `vec2f(${row(0)}, ${row(1)})`;
}

/** Lines and points: each is an instance of two triangles that face the picture. */
function strokeStage(variant: Variant, outputKind: OutputKind): string {
  const isLines = variant.topology === 'lines';
  const ofMap = isLines ? 'view.strokes.xy' : 'view.strokes.zw';
  const half = outputKind === 'depth' ? ofMap : 'vec2f(draw.normal1.w, draw.normal2.w)';
  const ends = variant.topology === 'lines' ? ['a', 'b'] : ['a'];
  const parameters = ['@builtin(vertex_index) corner: u32'];
  ends.forEach((end, k) => {
    for (const { name, location, components } of vertexAttributes(variant))
      parameters.push(`@location(${location + 8 * k}) ${name}_${end}: vec${components}f`);
  });
  const chosen = (name: string): string =>
    variant.topology === 'lines' ? `select(${name}_a, ${name}_b, atEnd)` : `${name}_a`;
  const body =
    variant.topology === 'lines'
      ? [
          'let atEnd = (corner & 1) == 1;',
          `let clipA = ${clipOf('vec4f(position_a, 1)', outputKind)};`,
          `let clipB = ${clipOf('vec4f(position_b, 1)', outputKind)};`,
          // A line that crosses the near plane begins there, since a point behind the eye has no place in the picture.
          'let start = select(clipA, mix(clipA, clipB, clipA.z / (clipA.z - clipB.z)), clipA.z < 0 && clipB.z > 0);',
          'let end = select(clipB, mix(clipB, clipA, clipB.z / (clipB.z - clipA.z)), clipB.z < 0 && clipA.z > 0);',
          `let half = ${half};`,
          'let way = (end.xy / end.w - start.xy / start.w) / half;',
          'let across = vec2f(-way.y, way.x) * inverseSqrt(max(dot(way, way), 1e-20)) * half;',
          'let at = select(start, end, atEnd);',
          'out.clip = vec4f(at.xy + across * (select(-1.0, 1.0, corner >= 2) * at.w), at.zw);',
          ...(outputKind === 'motion' ? MOVING_LINE : []),
        ]
      : [
          `let at = ${clipOf('vec4f(position_a, 1)', outputKind)};`,
          'let side = vec2f(f32(corner & 1), f32(corner >> 1)) * 2 - 1;',
          `out.clip = vec4f(at.xy + side * ${half} * at.w, at.zw);`,
        ];
  if (isSurfaceKind(outputKind))
    body.push(
      ...surfaceVertex(
        outputKind,
        'at',
        variant.topology === 'lines' ? 'select(nextStart, nextEnd, atEnd)' : 'draw.next * vec4f(next_a, 1)'
      )
    );
  if (variant.vertexColors) body.push(`out.color = ${chosen('color')};`);
  variant.sources.forEach(({ set }, i) =>
    body.push(`out.uv${i} = ${textureCoordinates(variant, i, chosen(`uv${set}`))};`)
  );
  return `
@vertex fn vs(${parameters.join(', ')}) -> Varyings {
  var out: Varyings;
  ${body.join('\n  ')}
  return out;
}`;
}

/** A line that crosses the near plane begins at the same share of its length in the next frame. */
const MOVING_LINE = [
  'let nextA = draw.next * vec4f(next_a, 1);',
  'let nextB = draw.next * vec4f(next_b, 1);',
  'let nextStart = select(nextA, mix(nextA, nextB, clipA.z / (clipA.z - clipB.z)), clipA.z < 0 && clipB.z > 0);',
  'let nextEnd = select(nextB, mix(nextB, nextA, clipB.z / (clipB.z - clipA.z)), clipB.z < 0 && clipA.z > 0);',
];

function fragmentStage(variant: Variant, scene: SceneShader, outputKind: OutputKind): string {
  const { reads } = variant;
  const lines = reads.map((_, i) => texelRead(variant, i));
  lines.push(...baseColor(variant));
  if (variant.unlit) lines.push('let color = base.rgb;');
  else lines.push(...shadedColor(variant, scene, outputKind));
  const opaque = variant.layers.includes('transmission') ? 'vec4f(color * coverage, coverage)' : 'vec4f(color, 1)';
  lines.push(variant.alphaMode === 'BLEND' ? 'return vec4f(color * base.a, base.a);' : `return ${opaque};`);
  const facing = variant.doubleSided && !variant.unlit ? ', @builtin(front_facing) front: bool' : '';
  return `
@fragment fn fs(in: Varyings${facing}) -> @location(0) vec4f {
  ${lines.join('\n  ')}
}`;
}

function rateStage(variant: Variant): string {
  const { base } = variant.slots;
  const lines = [
    ...(variant.alphaMode !== 'MASK' || base === undefined ? [] : [texelRead(variant, base)]),
    ...cutOut(variant),
  ];
  return `
@fragment fn fs(in: Varyings, @builtin(shading_rate) rate: u32) -> @location(0) u32 {
  ${[...lines, 'return rate + 1;'].join('\n  ')}
}`;
}

/** Discards cut-out fragments of a shadow map. */
function cutStage(variant: Variant): string {
  const { base } = variant.slots;
  if (variant.alphaMode !== 'MASK') return '';
  const lines = [...(base === undefined ? [] : [texelRead(variant, base)]), ...baseColor(variant)];
  return `
@fragment fn fs(in: Varyings) {
  ${lines.join('\n  ')}
}`;
}

const texelRead = ({ reads }: Variant, i: number): string =>
  `let texel${i} = textureSample(texture${i}, sampler${reads[i].sampler}, in.uv${reads[i].source});`;

/** WGSL lines that discard cut-out fragments. */
const cutOut = (variant: Variant): string[] => (variant.alphaMode === 'MASK' ? baseColor(variant) : []);

/** WGSL lines that compute the colour `base` and discard cut-out fragments. */
function baseColor({ slots, vertexColors, alphaMode }: Variant): string[] {
  const lines = ['var base = material.baseColor;'];
  if (slots.base !== undefined) lines.push(`base *= texel${slots.base};`);
  if (vertexColors) lines.push('base *= in.color;');
  if (alphaMode === 'MASK') lines.push('if (base.a < material.emissive.w) { discard; }');
  return lines;
}
