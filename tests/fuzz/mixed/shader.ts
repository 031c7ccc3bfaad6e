// WGSL of the mixed frames' pipelines. Fragment stages pass a hash `n` and a color `c` from step to step and to the
// next stage; whatever a step reads ends up in one of them.
import { isFloat, SUBGROUPS, type FragmentLook, type Look, type Setup, type Stage, type Step } from './looks';
import { slotCode } from './tables';

/** Row length of the buffers with an element per pixel: more than the width of any frame. */
export const STRIDE = 144;
/** Words of `list` after its length, and elements of `sums`. */
export const LISTED = 255;
export const SUMS = 16;

const BUFFERS = {
  words: [0, 'array<u32>'],
  pairs: [1, 'array<vec2u>'],
  cells: [2, 'array<atomic<u32>>'],
  sums: [3, 'array<atomic<u32>>'],
  list: [4, 'array<atomic<u32>>'],
} as const;
export type Resource = keyof typeof BUFFERS | 'image' | 'surface' | 'map' | 'linear';
export const BINDINGS: Readonly<Record<Resource, number>> = {
  words: 0,
  pairs: 1,
  cells: 2,
  sums: 3,
  list: 4,
  image: 5,
  surface: 6,
  map: 7,
  linear: 8,
};

/** One or two lines of WGSL per step, in which K is the step's number. */
const STEPS: Readonly<Record<Step['kind'], string>> = {
  mix: 'n = n * 747796405u + Ku; c = fract(c * 1.37 + f32(n >> 24u) / 256);',
  words: 'words[at] = words[at] * 5u + (n | 1u); n ^= words[at];',
  counts: 'words[at] += 1u + (n & 1u);',
  pairs: 'pairs[at] += vec2u(1u, n & 255u);',
  cells: 'n += atomicAdd(&cells[at], (n & 7u) + 1u);',
  sums: 'atomicAdd(&sums[(n + Ku) & 15u], 1u + (n >> 31u));',
  list: `{ let k = atomicAdd(&list[0], 1u); if (k < ${LISTED}u) { atomicStore(&list[k + 1u], n | 1u); } }`,
  image: `{
    let t = textureLoad(image, vec2u(v.p.xy)).x;
    textureStore(image, vec2u(v.p.xy), vec4u(t * 3u + n + 1u));
    n ^= t;
  }`,
  surface: `{
    var left = (n | Ku | 1u) & 15u;
    while (left != 0u) {
      let found = textureLoadSamples(surface, vec2u(v.p.xy), left);
      textureStoreSamples(surface, vec2u(v.p.xy), found.mask & left, vec4u(found.value.x * 3u + Ku + found.state));
      n += found.value.x;
      left &= ~found.mask;
    }
  }`,
  add: 'n += subgroupAdd(n & 255u);',
  ballot: 'n ^= subgroupBallot(c.x > 0.5 || (n & 4u) != 0u).x * 0x9e3779b1u;',
  swap: 'c = mix(c, quadSwapX(c.yzwx), 0.25); n ^= quadSwapY(n) >> 3u;',
  first: 'c += subgroupBroadcastFirst(c) * 0.125;',
  elect: 'if (subgroupElect()) { n += Ku; }',
  derive: 'c += vec4f(dpdx(c.x), dpdy(c.y), fwidth(c.z), dpdx(f32(n & 15u)) / 16) * 0.5;',
  sample: 'c = c * 0.5 + textureSample(map, linear, c.xy * 2) * 0.5;',
  level: 'c = c * 0.5 + textureSampleLevel(map, linear, v.a.xy * 3 + c.zw, c.x * 3) * 0.5;',
  load: 'n ^= u32(textureLoad(map, vec2u(n & 31u, n >> 27u), 0).x * 255) * 65537u;',
  discard: 'if (((n >> 5u) + Ku) % 4u == 0u) { discard; }',
  below: 'n = (n ^ held) * 2654435761u; c = c * 0.75 + below * 0.25;',
};
const WITHIN = {
  hash: (code: string) => `if (((n >> 3u) & 3u) != 0u) { ${code} }`,
  value: (code: string) => `if (c.y < 0.6) { ${code} }`,
  loop: (code: string) => `for (var i = 0u; i < 1u + (n & 1u); i++) { ${code} }`,
};
/** The bindings that steps need. */
function needs({ kind }: Step): Resource[] {
  if (kind === 'counts') return ['words'];
  if (kind === 'load') return ['map'];
  if (kind === 'sample' || kind === 'level') return ['map', 'linear'];
  return kind in BINDINGS ? [kind as Resource] : [];
}
/** The bindings of a pipeline. */
export function resourcesOf({ vertex, fragment }: Look): Resource[] {
  const all = fragment.stages.flatMap(({ steps }) => steps.flatMap(needs));
  if (vertex.readsMap) all.push('map');
  return [...new Set(all)];
}

const declared = (resource: Resource): string => {
  const at = `@group(0) @binding(${BINDINGS[resource]}) var`;
  switch (resource) {
    case 'image':
      return `${at} image: texture_storage_2d<r32uint, read_write>;`;
    case 'surface':
      return `${at} surface: texture_storage_multisampled_2d<r32uint, read_write>;`;
    case 'map':
      return `${at} map: texture_2d<f32>;`;
    case 'linear':
      return `${at} linear: sampler;`;
    default:
      return `${at}<storage, read_write> ${resource}: ${BUFFERS[resource][1]};`;
  }
};

/** For a whole shader, and for the last of several stages. */
function readsOfTargets({ fetches, readsDepth, readsSampleIndex }: FragmentLook, { targets }: Setup): string[] {
  return [
    ...targets.flatMap((format, i) =>
      fetches[i] ? [`@color(${i}) below${i}: ${isFloat(format) ? 'vec4f' : 'vec4u'}`] : []
    ),
    ...(readsDepth ? ['@builtin(sample_depth) stored: f32'] : []),
    ...(readsSampleIndex ? ['@builtin(sample_index) sampleIndex: u32'] : []),
  ];
}

/** Combines the targets' contents into a color and a word. */
function heldCode({ fetches }: FragmentLook, { targets }: Setup): string {
  const colors = targets.flatMap((format, i) => (fetches[i] && isFloat(format) ? [`below${i}`] : []));
  const words = targets.flatMap((format, i) =>
    !fetches[i] ? [] : [isFloat(format) ? `u32(saturate(below${i}.x) * 255)` : `below${i}.x`]
  );
  return `let below = ${colors.join(' + ') || 'vec4f(0.5)'}; let held = ${words.join(' + ') || '7u'};`;
}

function resultOf({ commutes, isUnordered }: FragmentLook, { targets }: Setup, n: string): string {
  const c = commutes ? 'unpack4x8unorm(v.id * 2654435761u)' : n === 'n' ? 'c' : 'c.wzyx';
  return targets
    .map((format, i) =>
      isFloat(format)
        ? `${c}${['', '.yzwx', '.wxyz'][i]}`
        : isUnordered
          ? `vec4u(below${i}.x + 1u)`
          : `vec4u(${n}, ${n} >> 8u, 3u, 4u)`
    )
    .join(', ');
}

/** The statements with which the last stage returns its results. */
function ending(look: FragmentLook, setup: Setup): string {
  const depth = look.writesDepth ? ', fract(c.x + 0.125) * 0.9' : '';
  if (look.dispatches === 0) {
    const mask = look.writesMask ? ', (n >> 7u) | 1u' : '';
    return `return R(${resultOf(look, setup, 'n')}${depth}${mask});`;
  }
  return Array.from({ length: look.dispatches }, (_, i) => {
    const call =
      `dispatchSamples((n >> ${i * 3 + 1}u) & 0xffffu, `
      + `R(${resultOf(look, setup, i ? `(n + ${i}u)` : 'n')}${depth}));`;
    return i === 1 ? `if (c.z > 0.3) { ${call} }` : call;
  }).join('\n');
}

function stageCode(look: Look, setup: Setup, at: number): string {
  const { fragment } = look;
  const stage = fragment.stages[at]!;
  const isLast = at === fragment.stages.length - 1;
  const reads = isLast ? readsOfTargets(fragment, setup) : [];
  // The sample mask belongs to the last pixel stage.
  const ofPixels = fragment.isWhole || (stage.rate === 'pixel' && fragment.stages[at + 1]?.rate !== 'pixel');
  const masks = ofPixels && fragment.readsMask;
  const links = at === 0 ? [] : [`@link(${2 * at - 2}) given: u32`, `@link(${2 * at - 1}) shade: vec4f`];
  const inputs = ['v: F', ...reads, ...(masks ? ['@builtin(sample_mask) covered: u32'] : []), ...links];
  const rate = fragment.readsRate && fragment.stages[0]!.rate === 'coarse' && at === 0 ? 'n += v.rate;' : '';
  const start = `
    let at = u32(v.p.y) * ${STRIDE}u + u32(v.p.x);
    var n =
      ${at === 0 ? '(v.id + u32(v.p.x) * 5u + u32(v.p.y) * 3u) * 2654435761u' : 'given'} ${masks ? '+ covered' : ''};
    var c = ${at === 0 ? 'v.a' : 'shade + v.a * 0.25'};
    ${rate}
    ${isLast ? heldCode(fragment, setup) : ''}
    ${
      reads.length && isLast
        ? `${fragment.readsDepth ? 'n += u32(saturate(stored) * 16);' : ''}
      ${fragment.readsSampleIndex ? 'n += sampleIndex * 40503u;' : ''}`
        : ''
    }`;
  const result = isLast ? (fragment.dispatches > 0 ? '' : '-> R') : `-> L${at}`;
  const end = isLast ? ending(fragment, setup) : `return L${at}(n, c);`;
  return `
    ${isLast ? '' : `struct L${at} { @link(${2 * at}) given: u32, @link(${2 * at + 1}) shade: vec4f }`}
    ${fragment.testsEarly ? '@early_depth_test' : ''} @fragment fn f${at}(${inputs.join(', ')}) ${result} {
      ${start}
      ${stepsCode(stage)}
      ${end}
    }`;
}
const stepsCode = ({ steps }: Stage): string =>
  steps
    .map(({ kind, k, within }) => {
      const code = STEPS[kind].replaceAll('K', String(k));
      return within === null ? code : WITHIN[within](code);
    })
    .join('\n');

function vertexCode({ vertex }: Look): string {
  const { clipDistances, givesRate, readsMap, slots } = vertex;
  const common = `
    struct P { @location(0) x: vec4f, @location(1) @interpolate(flat) id: u32, @location(2) @interpolate(I) a: vec4f }
    struct Q {
      @builtin(position) p: vec4f, @location(0) x: vec4f, @location(1) @interpolate(flat) id: u32,
      @location(2) @interpolate(I) a: vec4f,
    }
    struct V {
      ${clipDistances ? `@builtin(clip_distances) cut: array<f32, ${clipDistances}>,` : ''}
      ${givesRate ? '@builtin(shading_rate) rate: u32,' : ''}
      @builtin(position) p: vec4f, @location(1) @interpolate(flat) id: u32, @location(2) @interpolate(I) a: vec4f,
    }
    struct In {
      @location(0) x: vec4f, @location(1) id: u32, @location(3) uv: vec2f, @builtin(vertex_index) i: u32,
      @builtin(instance_index) k: u32,
    }
    fn placed(in: In) -> vec4f {
      ${readsMap ? 'let lift = textureLoad(map, vec2u(in.i & 31u, in.id & 31u), 0).xy * 0.1;' : 'let lift = vec2f();'}
      return in.x + vec4f(vec2f(0.11, -0.07) * f32(in.k) + lift, 0.03 * f32(in.k), 0) * in.x.w;
    }
    fn colored(in: In) -> vec4f {
      return vec4f(in.uv, fract(f32(in.id) * 0.37 + f32(in.i) * 0.11), fract(in.uv.x + 0.6));
    }`;
  if (slots)
    return `${common}
    @vertex fn s0(in: In) -> Q { let x = placed(in); return Q(x, x, in.id + in.k, colored(in)); }
    ${slots.map((slot, i) => slotCode(slot, i + 1)).join('\n')}`;
  const distances = ['x.x + 0.4 * x.w', 'x.w * 0.7 - x.y'].slice(0, clipDistances).join(', ');
  return `${common}
    @vertex fn s0(in: In) -> V {
      let x = placed(in);
      return V(${clipDistances ? `array(${distances}),` : ''} ${givesRate ? 'in.id,' : ''} x, in.id + in.k,
        colored(in));
    }`;
}

/** The module of a pipeline: vertex stages s0 …, fragment stages f0 …. */
export function shaderOf(look: Look, setup: Setup): string {
  const { fragment, vertex } = look;
  const resources = resourcesOf(look);
  const steps = fragment.stages.flatMap((stage) => stage.steps);
  const coarse = fragment.stages[0]!.rate === 'coarse';
  const enables = [
    'fragment_stages',
    ...(vertex.slots ? ['modular_pipelines'] : []),
    ...(vertex.clipDistances ? ['clip_distances'] : []),
    ...(steps.some(({ kind }) => SUBGROUPS.has(kind)) ? ['subgroups'] : []),
    ...(resources.includes('surface') || fragment.testsEarly ? ['multisample_storage_textures'] : []),
    ...(vertex.givesRate || (fragment.readsRate && coarse) ? ['shading_rate'] : []),
  ];
  return `
    ${enables.map((name) => `enable ${name};`).join(' ')}
    diagnostic(off, derivative_uniformity); diagnostic(off, subgroup_uniformity);
    ${resources.map(declared).join('\n')}
    ${vertexCode(look).replaceAll('@interpolate(I)', `@interpolate(${fragment.interpolation})`)}
    struct F {
      @builtin(position) p: vec4f, @location(1) @interpolate(flat) id: u32,
      @location(2) @interpolate(${fragment.interpolation}) a: vec4f,
      ${fragment.readsRate && coarse ? '@builtin(shading_rate) rate: u32,' : ''}
    }
    struct R {
      ${setup.targets.map((format, i) => `@location(${i}) c${i}: ${isFloat(format) ? 'vec4f' : 'vec4u'},`).join(' ')}
      ${fragment.writesDepth ? '@builtin(frag_depth) depth: f32,' : ''}
      ${fragment.writesMask && fragment.dispatches === 0 ? '@builtin(sample_mask) mask: u32,' : ''}
    }
    ${fragment.stages.map((_, i) => stageCode(look, setup, i)).join('\n')}`;
}
