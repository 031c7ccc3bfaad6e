import { GPUBufferUsage } from '../support/flags';
// The fuzzing corpus: inputs that once took gigabytes or minutes, threw internal errors, or gave different bits. Each
// target begins with its own entries, and so does its short part in the tests.

const chain = (count: number, line: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => line(i)).join('\n');

export const textCorpus: readonly string[] = [
  `const a0 = array(1, 2);\n${chain(40, (i) => `const a${i + 1} = array(a${i}, a${i});`)}`,
  `fn f() -> f32 { var x = 0.0; ${chain(4000, (i) => `x += unknown${i};`)} return x; }`,
  `${chain(2000, (i) => `const c${i} = c${i + 1} + 1;`)}\nconst c2000 = 1;`,
  `${chain(2000, (i) => `override c${i} = c${i + 1} + 1;`)}\noverride c2000 = 1;`,
  `${chain(2000, (i) => `alias c${i} = c${i + 1};`)}\nalias c2000 = f32;`,
  `${chain(2000, (i) => `struct c${i} { a: c${i + 1} }`)}\nstruct c2000 { a: f32 }`,
  chain(2000, (i) => `const c${i} = c${(i + 1) % 2000};`),
  chain(2000, (i) => `alias c${i} = c${(i + 1) % 2000};`),
  chain(2000, (i) => `struct c${i} { a: c${(i + 1) % 2000} }`),
];

export const wordCorpus: readonly (readonly string[])[] = [
  ['render', '\x1b]52;c;eHh4\x07'],
  ['render', 'a.glb', '--size', '\x1b[2J'],
  ['render', `--${'a'.repeat(3_000_000)}`],
];

/** API calls: a mapping of gigabytes for a rejected buffer. */
export const callsCorpus: readonly ((device: GPUDevice) => void)[] = [2 ** 31, 2 ** 32].map((size) => (device) => {
  const buffer = device.createBuffer({
    size,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
    mappedAtCreation: true,
  });
  new Uint8Array(buffer.getMappedRange()).fill(7);
});

const asset = { version: '2.0' };
const skinned = (joints: unknown[]): object => ({
  asset,
  skins: [{ joints }],
  nodes: [{ mesh: 0, skin: 0 }],
  scenes: [{ nodes: [0] }],
  accessors: [{ componentType: 5126, type: 'VEC3', count: 3 }],
  meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
});
export const modelCorpus: readonly object[] = [
  skinned([0.5]),
  skinned([-1]),
  skinned([null]),
  skinned([]),
  {
    asset,
    accessors: [{ componentType: 5126, type: 'VEC3', count: 10_000_000 }],
    nodes: [{ mesh: 0 }],
    scenes: [{ nodes: [0] }],
    meshes: [{ primitives: Array.from({ length: 10 }, () => ({ attributes: { POSITION: 0, NORMAL: 0 } })) }],
  },
  { asset, nodes: [{}], scenes: [{ nodes: new Array(20_000).fill(0) }] },
  { asset, nodes: [{ name: '\x1b]0;x\x07'.repeat(100_000), mesh: 9 }], scenes: [{ nodes: [0] }] },
];

/** Seeds of arbitraryProgram: the last lanes left a loop by a jump past the place where the others rejoin. */
export const programCorpus: readonly number[] = [1_672_030_124];

/**
 * Seeds by target; those that `npm run fuzz` finds are added here.
 * - programs: the sine of a sine and the power of a power, whose inner operation was computed only to complete a group
 *   of two.
 * - compute: arrays of bools in workgroup memory, where errors were found before.
 * - draws, textures and surfaces have found nothing yet. Theirs took longest of those tried (`slowest` of FUZZ_FILE),
 *   so they are closest to the limits.
 */
export const seedCorpus: Readonly<Record<string, readonly number[]>> = {
  programs: [1_171_895_736, 1_512_483_493],
  compute: [3, 4, 20, 27],
  draws: [472_030_981, 28_251_406, 77],
  textures: [1_367_831_820, 1_420_808_216, 234_252_398],
  surfaces: [77, 1_013_904_303, 521_863_759],
  // Storage in shaders that run several times per pixel; subgroups with early shading; dispatches; w of very different
  // sizes; surfaces stored before a depth test that fails; a list to which two tiles append.
  mixed: [4166, 4188, 4156, 9613, 9639, 6663, 6702, 6476, 6770, 6839, 525, 1090, 1430],
};
