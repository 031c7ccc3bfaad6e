// WGSL of lit surfaces: metallic-roughness (glTF 2.0, appendix B) with the layers of extensions. The lines of a feature
// are generated only for materials that have it.
import { FILM_FUNCTIONS } from './film';
import type { LayerSlot } from './layers';
import type { OutputKind, SceneShader } from './scene-shader';
import { BEHIND, FIT, IMAGE_IRRADIANCE, LOST, SHADOWS } from './shading-functions';
import { TONE_MAP } from './tone-mapping';
import type { Variant } from './variant';

/** Bytes of the uniforms of a scene: the frame, spherical harmonics of an image, and lights. */
export const frameBytes = (scene: SceneShader): number =>
  64
  + (scene.environment === 'image' ? 144 : 0)
  + (scene.turned ? 48 : 0)
  + 64 * scene.lights
  + 96 * scene.shadows
  + (scene.transmission ? 80 : 0)
  + (scene.exposed ? 16 : 0);

/** The uniforms, textures and samplers of group 0. */
export function lightDeclarations({ layers }: Variant, scene: SceneShader): string {
  const { lights, shadows, environment, turned, transmission, exposed } = scene;
  return `
${lights > 0 ? LIGHT : ''}
${shadows > 0 ? SHADOW : ''}
struct Frame {
  eye: vec4f,      // world position; w: the studio's harmonic of x² − y²
  key: vec4f,      // towards the key light; w: its strength
  linear: vec4f,   // the studio's harmonics of x, y, z, 1
  squares: vec4f,  // and of xy, yz, zx, z²
  ${environment === 'image' ? 'harmonics: array<vec4f, 9>, // of 1, x, y, z, xy, yz, zx, z², x² − y²' : ''}
  ${turned ? TURN : ''}${lights > 0 ? `lights: array<Light, ${lights}>,` : ''}
  ${shadows > 0 ? `shadows: array<Shadow, ${shadows}>,` : ''}
  ${transmission ? 'clip: mat4x4f,\n  behind: vec4f, // width and height of what is behind, its last level' : ''}
  ${exposed ? 'film: vec4f, // x: exposure' : ''}
}
@group(0) @binding(0) var<uniform> frame: Frame;
@group(0) @binding(1) var environment: texture_cube<f32>;
@group(0) @binding(2) var environmentSampler: sampler;
${
  layers.includes('transmission')
    ? '@group(0) @binding(3) var behind: texture_2d<f32>;\n@group(0) @binding(4) var behindSampler: sampler;'
    : ''
}
${
  shadows > 0
    ? '@group(0) @binding(5) var shadowMaps: texture_depth_2d_array;\n'
      + '@group(0) @binding(6) var shadowSampler: sampler_comparison;'
    : ''
}`;
}

const TURN = 'turn: mat3x3f, // from the scene to the environment\n  ';

const LIGHT = `struct Light {
  color: vec4f,     // w: 0 for a directional light, 1 for one with a position
  position: vec4f,  // w: 1 / range², or 0
  direction: vec4f, // of the light's rays
  cone: vec4f,      // scale and offset of the cosine; number of the first shadow map or −1, whether there are six
}`;

const SHADOW = `struct Shadow {
  clip: mat4x4f, // to texture coordinates and depth, times w
  axis: vec4f,   // unit vector of the view; w: width of the map in texels
  texel: vec4f,  // width of a texel in world space: everywhere, and per distance
}`;

/** The functions that the lines of `shadedColor` call. */
export function shadingFunctions(variant: Variant, scene: SceneShader, outputKind: OutputKind): string {
  return [
    FIT,
    scene.lights > 0 ? LOST : '',
    scene.environment === 'image' ? IMAGE_IRRADIANCE : '',
    variant.layers.includes('iridescence') ? FILM_FUNCTIONS : '',
    variant.layers.includes('transmission') ? BEHIND : '',
    scene.shadows > 0 ? SHADOWS : '',
    outputKind === 'color' ? TONE_MAP[scene.toneMapping] : '',
  ].join('\n');
}

/** WGSL of a layer's texture channel as a factor, or nothing. */
function times({ slots }: Variant, slot: LayerSlot, channels: string): string {
  const read = slots[slot];
  return read === undefined ? '' : ` * texel${read}.${channels}`;
}

/** Lines that compute `color`, and for materials that let light through `coverage`. */
export function shadedColor(variant: Variant, scene: SceneShader, outputKind: OutputKind): string[] {
  const { layers, slots } = variant;
  const has = (name: Variant['layers'][number]): boolean => layers.includes(name);
  const lines = [
    ...surfaceNormal(variant),
    'let v = normalize(frame.eye.xyz - in.world);',
    ...reflectance(variant),
    slots.occlusion === undefined
      ? 'let occlusion = 1.0;'
      : `let occlusion = 1 + material.factors.w * (texel${slots.occlusion}.r - 1);`,
    'let nv = clamp(dot(n, v), 0.001, 1.0);',
  ];
  if (has('iridescence')) lines.push(...filmReflectance(variant));
  if (has('sheen'))
    lines.push(
      `let sheenColor = material.sheen.rgb${times(variant, 'sheenColor', 'rgb')};`,
      `let sheenRoughness = clamp(material.sheen.a${times(variant, 'sheenRoughness', 'a')}, 0.07, 1.0);`
    );
  if (has('diffuseTransmission'))
    lines.push(
      `let throughColor = material.diffuseTransmission.rgb${times(variant, 'diffuseTransmissionColor', 'rgb')};`,
      `let through = material.diffuseTransmission.a${times(variant, 'diffuseTransmission', 'a')};`
    );
  if (has('clearcoat')) lines.push(...coatSurface(variant));
  lines.push(...environmentLight(variant, scene));
  lines.push(...(scene.lights > 0 ? lightLoop(variant, scene) : keyLight(variant, scene)));
  if (has('transmission')) lines.push(...lightFromBehind(variant));
  if (layers.length > 0) lines.push('var light = diffuseLight + specularLight;');
  if (has('sheen'))
    lines.push('light = light * (1 - 0.157 * max(sheenColor.r, max(sheenColor.g, sheenColor.b))) + sheenLight;');
  lines.push(
    slots.emissive === undefined
      ? 'light += material.emissive.rgb;'
      : `light += material.emissive.rgb * texel${slots.emissive}.rgb;`
  );
  if (has('clearcoat'))
    lines.push(
      'let coatAway = 1 - coatNv;',
      'let coatShare = coat * (0.04 + 0.96 * (coatAway * coatAway * coatAway * coatAway * coatAway));',
      'light = light * (1 - coatShare) + coat * coatLight;'
    );
  const exposedLight = scene.exposed ? 'light * frame.film.x' : 'light';
  lines.push(outputKind === 'color' ? `let color = toneMap(${exposedLight});` : 'let color = light;');
  return lines;
}

/** Lines that compute `metallic`, `roughness`, `f0`, `f90` and `diffuse`. */
function reflectance(variant: Variant): string[] {
  const { slots, layers } = variant;
  if (layers.includes('specularGlossiness')) {
    const read = slots.specularGlossiness;
    return [
      `let f0 = material.specularGlossiness.rgb${read === undefined ? '' : ` * texel${read}.rgb`};`,
      'let metallic = 0.0;',
      `let glossiness = material.specularGlossiness.a${read === undefined ? '' : ` * texel${read}.a`};`,
      'let roughness = clamp(1 - glossiness, 0.05, 1.0);',
      'let diffuse = base.rgb * (1 - max(f0.r, max(f0.g, f0.b)));',
      'let f90 = 1.0;',
    ];
  }
  const metalRough = slots.metalRough === undefined ? '' : ` * texel${slots.metalRough}`;
  const lines = [
    `let metallic = material.factors.x${metalRough && `${metalRough}.b`};`,
    `let roughness = clamp(material.factors.y${metalRough && `${metalRough}.g`}, 0.05, 1.0);`,
    'let diffuse = base.rgb * (1 - metallic);',
  ];
  if (!layers.includes('dielectric')) return [...lines, `let f0 = mix(vec3f(0.04), base.rgb, metallic);`];
  return [
    ...lines,
    `let specularStrength = material.dielectric.w${times(variant, 'specular', 'a')};`,
    `let dielectricColor = material.dielectric.rgb${times(variant, 'specularColor', 'rgb')};`,
    'let dielectric = min(dielectricColor, vec3f(1)) * specularStrength;',
    'let f0 = mix(dielectric, base.rgb, metallic);',
    'let f90 = mix(specularStrength, 1.0, metallic);',
  ];
}

/** Whether the reflectance at grazing angles can differ from 1. */
const hasEdge = ({ layers }: Variant): boolean => layers.includes('dielectric');

/** Lines that replace `f0` by that of a thin film. */
function filmReflectance(variant: Variant): string[] {
  const thickness = variant.slots.iridescenceThickness;
  return [
    `let film = material.iridescence.x${times(variant, 'iridescence', 'r')};`,
    thickness === undefined
      ? 'let filmThickness = material.iridescence.w;'
      : `let filmThickness = mix(material.iridescence.z, material.iridescence.w, texel${thickness}.g);`,
    'let filmFresnel = filmReflectance(material.iridescence.y, nv, filmThickness, f0);',
    'let filmF0 = filmAtNormal(filmFresnel, nv);',
    'let filmShare = select(film, 0.0, filmThickness == 0);',
  ];
}

/** Lines that compute `coat`, `coatRoughness`, `coatNormal` and `coatNv`. */
function coatSurface(variant: Variant): string[] {
  const normal = variant.slots.clearcoatNormal;
  return [
    `let coat = material.clearcoat.x${times(variant, 'clearcoat', 'r')};`,
    `let coatRoughness = clamp(material.clearcoat.y${times(variant, 'clearcoatRoughness', 'g')}, 0.05, 1.0);`,
    ...(normal === undefined
      ? [`let coatNormal = surface${variant.doubleSided ? ' * side' : ''};`]
      : [
          `let coatBump = (texel${normal}.xyz * 2 - 1) * vec3f(material.clearcoat.z, material.clearcoat.z, 1);`,
          `let coatNormal = ${perturbed('coatBump', variant)};`,
        ]),
    'let coatNv = clamp(dot(coatNormal, v), 0.001, 1.0);',
  ];
}

/** Whether shading needs the directions of growing u and v. */
const needsFrame = ({ slots, layers }: Variant): boolean =>
  slots.normal !== undefined || slots.clearcoatNormal !== undefined || layers.includes('anisotropy');

/**
 * Lines that compute the unit normal `n`. For a back face, the whole tangent frame is reversed: bumps become dents.
 */
export function surfaceNormal(variant: Variant): string[] {
  const side = variant.doubleSided ? ['let side = select(-1.0, 1.0, front);'] : [];
  const flip = variant.doubleSided ? ' * side' : '';
  const { normal } = variant.slots;
  const lines = [...side, 'let surface = normalize(in.normal);'];
  if (needsFrame(variant)) lines.push(...tangentFrame(variant));
  if (normal === undefined) return [...lines, `let n = surface${flip};`];
  return [
    ...lines,
    `let bump = (texel${normal}.xyz * 2 - 1) * vec3f(material.factors.z, material.factors.z, 1);`,
    `let n = ${perturbed('bump', variant)};`,
  ];
}

/** WGSL of the unit normal that a texel of a normal map stands for. */
function perturbed(bump: string, variant: Variant): string {
  if (variant.tangents) {
    const side = variant.doubleSided ? ' * side' : '';
    return `normalize(in.tangent.xyz * ${bump}.x + bitangent * ${bump}.y + surface * ${bump}.z)${side}`;
  }
  const z = variant.doubleSided ? `(${bump}.z * side)` : `${bump}.z`;
  return `normalize(tangent * (${bump}.x * shrink) + bitangent * (${bump}.y * shrink) + surface * ${z})`;
}

/** Lines that compute `bitangent` and, for geometry without tangents, `tangent` and `shrink`. */
function tangentFrame(variant: Variant): string[] {
  if (variant.tangents) return ['let bitangent = cross(surface, in.tangent.xyz) * in.tangent.w;'];
  const read = variant.slots.normal ?? variant.slots.clearcoatNormal ?? variant.slots.anisotropy;
  const source = read === undefined ? 0 : variant.reads[read].source;
  // Without coordinates, any direction in the surface will do.
  if (variant.sources.length === 0)
    return [
      'let axis = select(vec3f(0, 1, 0), vec3f(1, 0, 0), abs(surface.y) > 0.9);',
      'let tangent = normalize(cross(axis, surface));',
      'let bitangent = cross(surface, tangent);',
      'let shrink = 1.0;',
    ];
  // Without tangents, the directions of growing u and falling v in the surface's plane come from screen-space
  // derivatives. Screen y points down. On back faces, both are reversed, as required.
  const uv = `in.uv${source}`;
  return [
    'let acrossX = cross(dpdy(in.world), surface);',
    'let acrossY = cross(surface, dpdx(in.world));',
    `let uvX = dpdx(${uv});`,
    `let uvY = dpdy(${uv});`,
    'let tangent = -(acrossX * uvX.x + acrossY * uvY.x);',
    'let bitangent = acrossX * uvX.y + acrossY * uvY.y;',
    'let longest = max(max(dot(tangent, tangent), dot(bitangent, bitangent)), 1e-30);',
    'let shrink = inverseSqrt(longest);',
  ];
}

const irradiance = (n: string, { environment }: SceneShader): string =>
  environment === 'image'
    ? `imageIrradiance(${n})`
    : `max(dot(frame.linear, vec4f(${n}, 1)) + dot(frame.squares, ${n}.xyzz * ${n}.yzxz) `
      + `+ frame.eye.w * (${n}.x * ${n}.x - ${n}.y * ${n}.y), 0.0)`;

const mirrored = (direction: string, roughness: string, { environment, turned, levels }: SceneShader): string =>
  `textureSampleLevel(environment, environmentSampler, ${turned ? `frame.turn * ${direction}` : direction}, `
  + `${roughness} * ${levels - 1}.0)`
  + (environment === 'image' ? '.rgb' : '.r');

/** WGSL of the reflectance along the normal. */
const facing = ({ layers }: Variant): string => (layers.includes('iridescence') ? 'mix(f0, filmF0, filmShare)' : 'f0');

/** Lines for the environment: image-based light by split sum. */
function environmentLight(variant: Variant, scene: SceneShader): string[] {
  const { layers } = variant;
  const has = (name: Variant['layers'][number]): boolean => layers.includes(name);
  const f0 = facing(variant);
  const lines = [
    'let share = environmentShare(roughness, nv);',
    `let single = ${f0} * share.x + ${hasEdge(variant) ? 'f90 * share.y' : 'share.y'};`,
    // Light that bounces twice in a rough metal comes out again (Fdez-Agüera 2019, shortened).
    'let total = share.x + share.y;',
    `let bounces = 1 + ${f0} * (1 / total - 1);`,
    'let specular = single * bounces;',
    `let irradiance = ${irradiance('n', scene)};`,
  ];
  if (has('anisotropy')) lines.push(...brushedDirections(variant));
  lines.push(
    `let mirrored = ${mirrored(has('anisotropy') ? 'reflect(-v, bent)' : 'reflect(-v, n)', 'roughness', scene)};`
  );
  if (layers.length === 0)
    return [...lines, 'let room = (diffuse * (1 - specular) * irradiance + specular * mirrored) * occlusion;'];
  if (has('diffuseTransmission'))
    lines.push(
      `let fromBehind = (1 - metallic) * throughColor * ${irradiance('(-n)', scene)};`,
      'var diffuseLight = mix(diffuse * irradiance, fromBehind, through) * (1 - specular) * occlusion;'
    );
  else lines.push('var diffuseLight = diffuse * (1 - specular) * irradiance * occlusion;');
  lines.push('var specularLight = specular * mirrored * occlusion;');
  if (has('sheen'))
    lines.push(`var sheenLight = sheenColor * (irradiance * sheenShare(sheenRoughness, nv) * occlusion);`);
  if (has('clearcoat'))
    lines.push(
      'let coatFit = environmentShare(coatRoughness, coatNv);',
      `let coatMirrored = ${mirrored('reflect(-v, coatNormal)', 'coatRoughness', scene)};`,
      'var coatLight = vec3f(0.04 * coatFit.x + coatFit.y) * coatMirrored * occlusion;'
    );
  return lines;
}

/** Lines that compute the directions of a brushed surface, and the normal that its reflections seem to have. */
function brushedDirections(variant: Variant): string[] {
  const read = variant.slots.anisotropy;
  const t = variant.tangents ? 'in.tangent.xyz' : '(tangent * shrink)';
  const b = variant.tangents ? 'bitangent' : '(bitangent * shrink)';
  return [
    read === undefined
      ? 'let brush = material.anisotropy.xyz;'
      : `let texelBrush = texel${read}.xyz * vec3f(2, 2, 1) - vec3f(1, 1, 0);
  let brush = vec3f(material.anisotropy.x * texelBrush.z,
    material.anisotropy.y * texelBrush.x - material.anisotropy.z * texelBrush.y,
    material.anisotropy.z * texelBrush.x + material.anisotropy.y * texelBrush.y);`,
    `let alongBrush = normalize(${t} * brush.y + ${b} * brush.z);`,
    'let acrossBrush = normalize(cross(n, alongBrush));',
    'let alpha = roughness * roughness;',
    'let alphaAlong = mix(alpha, 1.0, brush.x * brush.x);',
    'let aroundBrush = cross(cross(acrossBrush, v), acrossBrush);',
    'let straight = 1 - brush.x * (1 - roughness);',
    'let bent = normalize(mix(normalize(aroundBrush), n, straight * straight * straight * straight));',
  ];
}

/** Lines for the key light of the studio. */
function keyLight(variant: Variant, { environment }: SceneShader): string[] {
  // An image has its lights in it.
  if (environment === 'image') return variant.layers.length === 0 ? ['var light = room;'] : [];
  const lines = directLight(variant, 'frame.key.xyz');
  if (variant.layers.length === 0) return [...lines, 'var light = room + key * (nl * frame.key.w);'];
  return [...lines, ...addDirectLight(variant, 'vec3f(frame.key.w)')];
}

/** Lines for the lights of the file. */
function lightLoop(variant: Variant, { lights, shadows }: SceneShader): string[] {
  const lines = [
    'let lamp = frame.lights[i];',
    'let way = lamp.position.xyz - in.world;',
    'let square = max(dot(way, way), 1e-12);',
    'let l = select(-lamp.direction.xyz, way * inverseSqrt(square), lamp.color.w > 0);',
    'let ranged = clamp(1 - square * square * lamp.position.w * lamp.position.w, 0.0, 1.0);',
    'let spot = clamp(dot(-l, lamp.direction.xyz) * lamp.cone.x + lamp.cone.y, 0.0, 1.0);',
    'let fall = select(1.0, ranged * spot * spot / square, lamp.color.w > 0);',
    `${shadows > 0 ? 'var' : 'let'} radiance = lamp.color.rgb * fall;`,
    ...directLight(variant, undefined),
    ...(shadows > 0 ? shadowed(variant) : []),
    ...(variant.layers.length === 0 ? ['light += key * (nl * radiance);'] : addDirectLight(variant, 'radiance')),
  ];
  return [
    ...(variant.layers.length === 0 ? ['var light = room;'] : []),
    'let lost = lostLight(roughness, nv);',
    `let bouncesOfLights = 1 + ${facing(variant)} * (lost / (1 - lost));`,
    `for (var i = 0u; i < ${lights}u; i++) {`,
    ...lines.map((line) => `  ${line}`),
    '}',
  ];
}

/** Lines that dim `radiance` by what is between the surface and a light. */
function shadowed({ layers, doubleSided }: Variant): string[] {
  const side = `surface${doubleSided ? ' * side' : ''}`;
  // A surface through which light passes is also lit from behind.
  const isThrough = layers.includes('diffuseTransmission');
  const lit = layers.length === 0 ? 'nl * fall > 0' : 'fall > 0';
  return [
    isThrough ? `let facing = ${side} * select(-1.0, 1.0, dot(${side}, l) > 0);` : `let facing = ${side};`,
    `if (${lit}) { radiance *= lightArriving(lamp, in.world, facing, way); }`,
  ];
}

/**
 * Lines that compute what the surface reflects of one light: `key`, or `keyDiffuse` and `keySpecular` with layers, per
 * irradiance over π; and `nl`.
 */
function directLight(variant: Variant, direction: string | undefined): string[] {
  const hasLights = direction === undefined;
  const { layers } = variant;
  const has = (name: Variant['layers'][number]): boolean => layers.includes(name);
  const lines = [
    ...(direction === undefined ? [] : [`let l = ${direction};`]),
    'let nl = clamp(dot(n, l), 0.0, 1.0);',
    'let h = normalize(v + l);',
    'let nh = clamp(dot(n, h), 0.0, 1.0);',
  ];
  if (has('anisotropy'))
    lines.push(
      'let brushed = vec3f(alpha * dot(alongBrush, h), alphaAlong * dot(acrossBrush, h), alpha * alphaAlong * nh);',
      'let peak = alpha * alphaAlong / max(dot(brushed, brushed), 1e-12);',
      'let lobe = alpha * alphaAlong * peak * peak;',
      'let seen = nl * length(vec3f(alphaAlong * dot(alongBrush, v), alpha * dot(acrossBrush, v), nv));',
      'let lit = nv * length(vec3f(alphaAlong * dot(alongBrush, l), alpha * dot(acrossBrush, l), nl));',
      'let reflected = lobe * (0.5 / max(seen + lit, 1e-6));'
    );
  else
    lines.push(
      'let a2 = roughness * roughness * roughness * roughness;',
      'let d = nh * nh * (a2 - 1) + 1;',
      // Smith's term with its divisor 4 · nl · nv (Hammon 2017).
      'let visible = 0.25 / mix(nv * nl, 0.5 * (nv + nl), roughness * roughness);',
      'let reflected = a2 / (d * d) * visible;'
    );
  lines.push(
    'let away = 1 - clamp(dot(v, h), 0.0, 1.0);',
    'let away2 = away * away;',
    `let schlick = f0 + (${hasEdge(variant) ? 'f90' : '1'} - f0) * (away2 * away2 * away);`,
    has('iridescence') ? 'let fresnel = mix(schlick, filmFresnel, filmShare);' : 'let fresnel = schlick;'
  );
  // Light that bounces twice in a rough metal (Turquin 2019). The key light of the studio is tuned without it.
  const bounced = hasLights ? ' * bouncesOfLights' : '';
  if (layers.length === 0) return [...lines, `let key = diffuse * (1 - fresnel) + fresnel * reflected${bounced};`];
  return [...lines, 'let keyDiffuse = diffuse * (1 - fresnel);', `let keySpecular = fresnel * reflected${bounced};`];
}

/** Lines that add one light to the sums of a material with layers. */
function addDirectLight({ layers }: Variant, radiance: string): string[] {
  const has = (name: Variant['layers'][number]): boolean => layers.includes(name);
  const lines = [`specularLight += keySpecular * (nl * ${radiance});`];
  if (has('diffuseTransmission'))
    lines.push(
      'let litBehind = (1 - metallic) * throughColor * (through * clamp(-dot(n, l), 0.0, 1.0));',
      `diffuseLight += (keyDiffuse * (nl * (1 - through)) + litBehind) * ${radiance};`
    );
  else lines.push(`diffuseLight += keyDiffuse * (nl * ${radiance});`);
  if (has('sheen'))
    lines.push(
      'let inverse = 1 / (sheenRoughness * sheenRoughness);',
      'let fibres = (2 + inverse) * pow(max(1 - nh * nh, 0.0078125), inverse * 0.5) * 0.5;',
      `sheenLight += sheenColor * (fibres * clamp(0.25 / max(nl + nv - nl * nv, 1e-6), 0.0, 1.0) * nl) * ${radiance};`
    );
  if (has('clearcoat'))
    lines.push(
      'let coatNl = clamp(dot(coatNormal, l), 0.0, 1.0);',
      'let coatNh = clamp(dot(coatNormal, h), 0.0, 1.0);',
      'let coatA2 = coatRoughness * coatRoughness * coatRoughness * coatRoughness;',
      'let coatD = coatNh * coatNh * (coatA2 - 1) + 1;',
      'let coatVisible = 0.25 / mix(coatNv * coatNl, 0.5 * (coatNv + coatNl), coatRoughness * coatRoughness);',
      'let coatFresnel = 0.04 + 0.96 * (away2 * away2 * away);',
      `coatLight += (coatFresnel * coatA2 / (coatD * coatD) * coatVisible * coatNl) * ${radiance};`
    );
  return lines;
}

/** Lines that mix the diffuse light with the light that passes through the surface, refracted. */
function lightFromBehind(variant: Variant): string[] {
  const thickness = `material.transmission[0].y${times(variant, 'thickness', 'g')}`;
  return [
    `let transmission = material.transmission[0].x${times(variant, 'transmission', 'r')};`,
    `let depth = in.size * ${thickness};`,
    'let passing = lightBehind(in.world, n, v, roughness, depth);',
    'let density = material.transmission[1].w;',
    'let faded = pow(max(material.transmission[1].rgb, vec3f(1e-6)), vec3f(depth * density));',
    'let fade = select(vec3f(1), faded, density > 0);',
    'let passed = passing.rgb * fade * diffuse * (1 - specular);',
    'let coverage = 1 - transmission * (1 - passing.a) * (1 - metallic);',
    'diffuseLight = mix(diffuseLight, passed, transmission);',
  ];
}
