// The gallery: scenes, and templates to start from.
import fetchCode from './fetch.wgsl?raw';
import layersCode from './layers.wgsl?raw';
import marchCode from './march.wgsl?raw';
import modularCode from './modular.wgsl?raw';
import newComputeCode from './new-compute.wgsl?raw';
import newFragmentCode from './new-fragment.wgsl?raw';
import newModularCode from './new-modular.wgsl?raw';
import newStagesCode from './new-stages.wgsl?raw';
import particlesCode from './particles.wgsl?raw';
import ratesCode from './rates.wgsl?raw';
import solidsCode from './solids.wgsl?raw';
import spritesCode from './sprites.wgsl?raw';
import stagesCode from './stages.wgsl?raw';
import surfaceCode from './surface.wgsl?raw';
import textureCode from './texture.wgsl?raw';
import type { DrawStep, Scene } from './recipe';

/** A triangle that covers the picture. */
const everywhere = (fragment: string, more: Partial<DrawStep> = {}): DrawStep => ({
  vertex: 'everywhere',
  fragment,
  vertices: 3,
  ...more,
});
const STRIP = { topology: 'triangle-strip', vertices: 4 } as const;
const DARK = [0.03, 0.035, 0.05] as const;

const SCENES: readonly Scene[] = [
  {
    id: 'fetch',
    title: 'Blending by framebuffer fetch',
    summary: 'A fragment shader reads its render target, so that any formula can blend.',
    group: 'scene',
    guide: 'features/framebuffer-fetch',
    code: fetchCode,
    features: ['fragment-stages'],
    background: DARK,
    draws: [everywhere('backdrop'), { vertex: 'disc', fragment: 'blend', ...STRIP, instances: 6 }],
  },
  {
    id: 'rates',
    title: 'Sharp at the pointer',
    summary: 'Shading rates from a texture: up to 4×4 pixels for one run of the shader.',
    group: 'scene',
    guide: 'features/shading-rate',
    code: ratesCode,
    features: [],
    background: DARK,
    isFoveated: true,
    draws: [everywhere('paint')],
  },
  {
    id: 'modular',
    title: 'Modular pipelines',
    summary: 'Each draw call chooses which vertex stages run, without a shader for every combination.',
    group: 'scene',
    guide: 'features/modular-pipelines',
    code: modularCode,
    features: ['modular-pipelines'],
    background: [0.9, 0.91, 0.93],
    draws: [
      {
        vertex: ['load', 'twist', 'wave', 'inflate', 'look'],
        fragment: 'shade',
        vertices: 6 * 48 * 48,
        modularDraws: [{ without: [1, 2, 3] }, { without: [2, 3] }, { without: [1, 3] }, { without: [] }],
        depth: true,
      },
    ],
  },
  {
    id: 'layers',
    title: 'Transparency in any order',
    summary: 'Fragments write lists in a buffer, in a defined order; a last triangle sorts and blends them.',
    group: 'scene',
    guide: 'features/fragment-side-effects',
    code: layersCode,
    features: [],
    background: DARK,
    resources: { 1: { kind: 'words', bytes: (width, height) => width * height * 17 * 4 } },
    draws: [
      { vertex: 'pane', fragment: 'collect', ...STRIP, instances: 6, uses: { 1: 'write' }, writesNothing: true },
      everywhere('resolve', { uses: { 1: 'write' } }),
    ],
  },
  {
    id: 'surface',
    title: 'Multisampled storage',
    summary: 'A shader loads and stores the samples of a texture, once for each value of a pixel.',
    group: 'scene',
    guide: 'features/multisampled-storage-textures',
    code: surfaceCode,
    features: ['multisample-storage-textures'],
    background: DARK,
    resources: { 1: { kind: 'surface' } },
    draws: [
      { vertex: 'shard', fragment: 'over', vertices: 3, instances: 19, uses: { 1: 'write' }, intoSurface: true },
      everywhere('resolve', { uses: { 1: 'read' } }),
    ],
  },
  {
    id: 'stages',
    title: 'Fragment stages',
    summary: 'Parts of one shader run per coarse pixel, per pixel and per set of equal samples.',
    group: 'scene',
    guide: 'features/fragment-stages',
    code: stagesCode,
    features: ['fragment-stages'],
    background: [0.55, 0.65, 0.75],
    draws: [
      {
        vertex: 'ball',
        fragment: [],
        parts: [
          { entryPoint: 'marble', rate: 'coarse' },
          { entryPoint: 'light', rate: 'pixel' },
          { entryPoint: 'gloss', rate: 'sample' },
        ],
        vertices: 6 * 40 * 20,
        instances: 6,
        depth: true,
      },
    ],
  },
  {
    id: 'sprites',
    title: 'Order-independent draws',
    summary: 'Draw calls that may overtake each other fill warps better.',
    group: 'scene',
    guide: 'features/order-independent-draws',
    code: spritesCode,
    features: [],
    background: DARK,
    draws: [{ vertex: 'sprite', fragment: ['warm', 'cold'], ...STRIP, instances: 1200, blend: 'add' }],
  },
  {
    id: 'solids',
    title: 'Visibility before shading',
    summary: 'Of many opaque layers, only the visible one is shaded, also from back to front.',
    group: 'scene',
    guide: 'features/statistics',
    code: solidsCode,
    features: [],
    background: [0.88, 0.9, 0.93],
    draws: [{ vertex: 'ring', fragment: 'shade', vertices: 6 * 24 * 10, instances: 60, depth: true }],
  },
  {
    id: 'particles',
    title: 'Compute: particles',
    summary: 'A compute shader moves 16,384 particles around two suns and the pointer.',
    group: 'scene',
    guide: 'features/compute',
    code: particlesCode,
    features: [],
    background: DARK,
    resources: { 1: { kind: 'words', bytes: () => 16384 * 16 } },
    compute: [{ compute: 'move_all', workgroups: [256, 1], uses: { 1: 'write' } }],
    draws: [{ vertex: 'spark', fragment: 'glow', ...STRIP, instances: 16384, uses: { 1: 'read' }, blend: 'add' }],
  },
  {
    id: 'texture',
    title: 'Textures',
    summary: 'Mip levels, anisotropic filtering and light per pixel.',
    group: 'scene',
    guide: 'reference/webgpu',
    code: textureCode,
    features: [],
    background: [0.78, 0.84, 0.9],
    resources: { 1: { kind: 'bricks' }, 2: { kind: 'sampler' } },
    draws: [
      { vertex: 'floor_corner', fragment: 'shade', ...STRIP, uses: { 1: 'read', 2: 'read' }, depth: true },
      {
        vertex: 'ring',
        fragment: 'shade',
        vertices: 6 * 48 * 24,
        instances: 3,
        uses: { 1: 'read', 2: 'read' },
        depth: true,
      },
    ],
  },
  {
    id: 'march',
    title: 'Ray march',
    summary: 'Shapes without triangles, with soft shadows: compiled to WebAssembly SIMD.',
    group: 'scene',
    guide: 'reference/wgsl',
    code: marchCode,
    features: [],
    background: DARK,
    draws: [everywhere('paint')],
  },
  {
    id: 'new-fragment',
    title: 'Fragment shader',
    summary: 'Paints the whole picture.',
    group: 'template',
    guide: 'reference/wgsl',
    code: newFragmentCode,
    features: [],
    background: DARK,
    draws: [everywhere('paint')],
  },
  {
    id: 'new-compute',
    title: 'Compute shader',
    summary: 'The Game of Life, in a buffer.',
    group: 'template',
    guide: 'features/compute',
    code: newComputeCode,
    features: [],
    background: DARK,
    resources: { 1: { kind: 'words', bytes: () => 256 * 144 * 2 * 4 } },
    compute: [{ compute: 'step_life', workgroups: [16, 36], uses: { 1: 'write' } }],
    draws: [everywhere('show', { uses: { 1: 'read' } })],
  },
  {
    id: 'new-stages',
    title: 'Fragment stages',
    summary: 'A stage per pixel, and one per set of equal samples.',
    group: 'template',
    guide: 'features/fragment-stages',
    code: newStagesCode,
    features: ['fragment-stages'],
    background: DARK,
    draws: [
      {
        vertex: 'corner',
        fragment: [],
        parts: [
          { entryPoint: 'color', rate: 'pixel' },
          { entryPoint: 'mix_in', rate: 'sample' },
        ],
        vertices: 3,
        instances: 5,
      },
    ],
  },
  {
    id: 'new-modular',
    title: 'Modular pipeline',
    summary: 'Three vertex stages, of which one is optional.',
    group: 'template',
    guide: 'features/modular-pipelines',
    code: newModularCode,
    features: ['modular-pipelines'],
    background: [0.9, 0.9, 0.88],
    draws: [
      {
        vertex: ['load', 'change', 'look'],
        fragment: 'fill',
        vertices: 6 * 32 * 32,
        modularDraws: [{ without: [1] }, { without: [] }],
      },
    ],
  },
];

export const scenes: readonly Scene[] = SCENES;
export const sceneById = (id: string): Scene | undefined => SCENES.find((scene) => scene.id === id);
