// Records in memory (assembly/layout): in the layout computed by asc, every field of every record has its own bytes,
// aligned, within the record. No accessor computes a location with numbers.
import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import ts from 'typescript';
import { describe, expect, it, test } from 'vitest';
import * as layout from '../../build/layout';

const FOLDER = new URL('../../assembly/layout/', import.meta.url);
const SIZES: Record<string, number> = {
  i8: 1,
  u8: 1,
  u16: 2,
  i32: 4,
  u32: 4,
  f32: 4,
  usize: 4,
  i64: 8,
  u64: 8,
  f64: 8,
};

/** All records, by file. Add a new record here, and draw its diagram above its class. */
const RECORDS: Record<string, readonly string[]> = {
  'atomic-access': ['AtomicAccess'],
  'block-texture': ['BlockLevel', 'BlockTexture', 'BlockCache'],
  'coarse-stages': ['CoarseStages'],
  compute: ['Dispatch', 'ComputeStep', 'GatheredBuffer', 'ComputeUnit', 'WarpLanes'],
  coarse: ['FineEntry', 'CoarsePart', 'CoarsePacker', 'Coarse'],
  destinations: ['Destination', 'Destinations'],
  'draw-call': ['DrawPattern', 'DrawCall'],
  draw: ['Viewport', 'Scissor', 'StencilFace', 'Attribute', 'Factor', 'Target', 'Varyings', 'Draw'],
  footprint: ['Footprint', 'ReadRun'],
  geometry: ['DrawProgress', 'NestedRun', 'Geometry'],
  'image-access': ['ImageAccess'],
  job: ['Job', 'GeometryTask', 'Segment', 'VertexRange', 'ExecutorRecord'],
  'late-work': ['Misses', 'LateWork'],
  'load-store-unit': ['Working', 'DeferredStore', 'LoadStoreUnit'],
  modules: ['ModuleDirectory', 'ModuleRecord'],
  'output-scratch': ['OutputScratch'],
  packed: ['Packed'],
  packer: ['Entry', 'Packer'],
  packet: ['Packet', 'Corner'],
  parked: ['ParkedWarp', 'StoppedWarp', 'ParkedWarps'],
  plane: ['Plane'],
  pass: ['Attachment', 'BinBlock', 'Bin', 'Arena', 'Pass'],
  program: ['Program', 'Prologue'],
  setup: ['PlaneTerms', 'SetupOne', 'SmallTriangle', 'SetupLanes', 'SetupLive', 'SetupFour', 'LayerPositions', 'Setup'],
  'sample-sets': ['SampleSets', 'SetRoom'],
  'shading-rate': ['ShadingRates'],
  share: ['PacketCursor', 'ShareBlock', 'Share'],
  site: ['SiteDescription', 'SiteTexture', 'SitePage', 'SitePart', 'SiteTaps', 'Site'],
  stage: ['Stage'],
  'stage-input': ['PrimitiveList', 'StageInput'],
  statistics: ['WarpTimes', 'Statistics'],
  surface: ['SurfaceTile', 'Surface', 'Reads', 'PixelReads', 'Subsets', 'Pool', 'Staging'],
  'surface-access': ['SurfaceAccess'],
  'quad-read': ['TexelAccess', 'QuadRead'],
  tessellation: ['PatchPart', 'PatternPart', 'Pattern', 'Tessellation'],
  texture: ['TextureLevel', 'Texture', 'Sampler'],
  text: ['Lexer', 'Punctuator', 'Name', 'Candidate'],
  'texture-stream': ['TextureStream', 'PageEntry'],
  tile: ['TileEdge', 'EdgeWalk', 'EdgeTerms', 'SamplePositions', 'WarpOffset', 'PixelGroup', 'DepthBlock', 'Tile'],
  work: ['WorkItem'],
  triangle: ['Triangle', 'DepthPlane', 'TriangleEdge'],
  warp: ['Resource', 'Access', 'Warp', 'WarpPool'],
};

/** Members with numbers: each selects bits of a pixel or quad in Plane.perSample, Plane.paired or Plane.listed. */
const BIT_MEMBERS = [
  'Plane.isPerSample',
  'Plane.perSampleOf',
  'Plane.pairsOfQuad',
  'Plane.listedOfQuad',
  'Plane.divide',
];

interface Member {
  name: string;
  type: string;
}
interface RecordClass {
  name: string;
  fields: Member[];
  arrays: string[];
  /** Accessors and methods that contain a number other than 0 and 1. */
  numbered: string[];
}

/** Whether a number other than 0 and 1 is written anywhere in a node. */
function hasNumber(node: ts.Node): boolean {
  if (ts.isNumericLiteral(node)) return !['0', '1'].includes(node.text);
  return ts.forEachChild(node, (child) => hasNumber(child) || undefined) ?? false;
}

/** The @unmanaged classes of a source text: fields, and accessors of trailing arrays and nested records. */
function classesOf(text: string): RecordClass[] {
  const source = ts.createSourceFile('record.ts', text, ts.ScriptTarget.Latest);
  return source.statements.filter(ts.isClassDeclaration).map(({ name, members }) => ({
    name: name!.text,
    fields: members
      .filter(ts.isPropertyDeclaration)
      .map((field) => ({ name: field.name.getText(source), type: field.type!.getText(source) })),
    arrays: members.filter(ts.isGetAccessorDeclaration).map((accessor) => accessor.name.getText(source)),
    numbered: members
      .filter((member) => ts.isGetAccessorDeclaration(member) || ts.isMethodDeclaration(member))
      .filter(hasNumber)
      .map((member) => `${name!.text}.${member.name.getText(source)}`),
  }));
}

const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
const classes = new Map(
  files.map((file) => [basename(file, '.ts'), classesOf(readFileSync(new URL(file, FOLDER), 'utf8'))])
);
const all = [...classes.values()].flat();
const offsets = layout as unknown as Record<string, Record<string, number>>;

test('all records are listed, and have offsets in build/layout.ts', () => {
  const found = Object.fromEntries(
    [...classes].filter(([, list]) => list.length).map(([file, list]) => [file, list.map(({ name }) => name)])
  );
  expect(found).toEqual(RECORDS);
  expect(Object.keys(offsets).sort()).toEqual(all.map(({ name }) => name).sort());
});

describe.each(all)('$name', ({ name, fields, arrays }) => {
  const at = offsets[name]!;
  const sizeOf = (type: string): number => SIZES[type] ?? (all.some((record) => record.name === type) ? 4 : NaN);

  it('has fields with their own aligned bytes', () => {
    let end = 0;
    for (const field of fields) {
      const size = sizeOf(field.type);
      expect(size, `${name}.${field.name} is of a type that a record may not have: ${field.type}`).toBeGreaterThan(0);
      expect(at[field.name]! % size, `${name}.${field.name} is not aligned`).toBe(0);
      expect(at[field.name], `${name}.${field.name} overlaps the field before it`).toBeGreaterThanOrEqual(end);
      end = at[field.name]! + size;
    }
    expect(at['bytes'] ?? Infinity).toBeGreaterThanOrEqual(end);
  });

  it('has arrays and nested records at word boundaries, within its size', () => {
    for (const array of arrays.filter((key) => key in at)) {
      expect(at[array]! % 4, `${name}.${array}`).toBe(0);
      // Records whose last array is unbounded have no size.
      expect(at[array], `${name}.${array} lies outside`).toBeLessThanOrEqual(at['bytes'] ?? Infinity);
    }
  });
});

test('no array overlaps a field, except where the record says so', () => {
  const onFields = all.flatMap(({ name, fields, arrays }) =>
    arrays
      .filter((array) => fields.some((field) => offsets[name]![field.name] === offsets[name]![array]))
      .map((array) => `${name}.${array}`)
  );
  // Names for several fields at once.
  expect(onFields).toEqual(['Triangle.zPlane', 'Triangle.wPlane', 'Triangle.edges', 'Triangle.cover']);
});

test('accessors name lengths, sizes and alignments: they contain no number except 0 and 1', () => {
  expect(all.flatMap(({ numbered }) => numbered).sort()).toEqual([...BIT_MEMBERS].sort());
});

test.each([
  ['get texels(): usize { return this.lods + 16; }', ['Sample.texels']],
  ['get past(): usize { return this.texels + TAPS * 0x10; }', ['Sample.past']],
  ['entry(index: u32): usize { return this.entries + (index << 2); }', ['Sample.entry']],
  ['get texels(): usize { return this.lods + VECTOR_BYTES; }', []],
  ['get end(): bool { return this.count == 0; }', []],
])('numbers of %s', (member, numbered) => {
  expect(classesOf(`@unmanaged export class Sample { ${member} }`)[0]!.numbered).toEqual(numbered);
});
