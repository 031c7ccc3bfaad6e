// Random modular pipelines with emitting stages.
import * as fc from 'fast-check';
import { type Domain, type Spacing } from './tessellation.kit';

export const MASK = 1023;
export const WIDTH = 128;
export const HEIGHT = 64;
export const PIXELS = WIDTH * HEIGHT;
export const INPUTS = {
  'point-list': 1,
  'line-list': 2,
  'line-strip': 2,
  'triangle-list': 3,
  'triangle-strip': 3,
  'line-list-adjacency': 4,
  'line-strip-adjacency': 4,
  'triangle-list-adjacency': 6,
  'triangle-strip-adjacency': 6,
  'patch-list': 4,
} as const;
export type Topology = keyof typeof INPUTS;
const TOPOLOGIES = Object.keys(INPUTS) as Topology[];
export type EmittedTopology = Exclude<Topology, 'patch-list'>;
const MADE = TOPOLOGIES.filter((topology): topology is EmittedTopology => topology !== 'patch-list');
export const RESTART = 0xffff;

export interface VertexStage {
  readonly kind: 'vertex';
  readonly factor: number;
  readonly addend: number;
  readonly on: boolean;
}
export interface GeometryStage {
  readonly kind: 'geometry';
  readonly most: number;
  readonly topology: EmittedTopology;
  /** A strip ends at vertices whose number is a multiple of this. */
  readonly cut: number;
  readonly straight: boolean;
}
/** Two slots: control and evaluation. */
export interface PatchStage {
  readonly kind: 'tess';
  readonly domain: Domain;
  readonly spacing: Spacing;
  readonly winding: 'ccw' | 'cw';
  readonly points: boolean;
  /** Maximum number of primitives per patch: levels are up to 5. */
  readonly most: 50;
}
export type AnyStage = VertexStage | GeometryStage | PatchStage;
export interface EmittingCase {
  readonly input: Topology;
  readonly indexed: boolean;
  /** Number of indices after which indexed strips restart. */
  readonly restart: number;
  readonly stages: readonly AnyStage[];
  readonly vertices: number;
  readonly instances: number;
}

const vertexStage: fc.Arbitrary<VertexStage> = fc.record({
  kind: fc.constant('vertex'),
  factor: fc.integer({ min: 1, max: 5 }),
  addend: fc.nat({ max: 9 }),
  on: fc.boolean(),
});
const geometryStage: fc.Arbitrary<GeometryStage> = fc.record({
  kind: fc.constant('geometry'),
  most: fc.oneof(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 40 })),
  topology: fc.constantFrom(...MADE),
  cut: fc.oneof(fc.integer({ min: 2, max: 7 }), fc.integer({ min: 8, max: 40 })),
  straight: fc.boolean(),
});
const patchStage: fc.Arbitrary<PatchStage> = fc.record({
  kind: fc.constant('tess'),
  domain: fc.constantFrom('triangles', 'quads', 'lines'),
  spacing: fc.constantFrom('equal', 'fractional-odd', 'fractional-even'),
  winding: fc.constantFrom('ccw', 'cw'),
  points: fc.boolean(),
  most: fc.constant(50),
});
/** Upper bound of primitives that may come from one. */
const MAX_AMPLIFIED = 20_000;
export const emittingTables: fc.Arbitrary<EmittingCase> = fc.record({
  input: fc.constantFrom(...TOPOLOGIES),
  indexed: fc.boolean(),
  restart: fc.oneof(fc.integer({ min: 2, max: 15 }), fc.integer({ min: 16, max: 1000 })),
  stages: fc
    .array(fc.oneof(vertexStage, vertexStage, geometryStage, patchStage), { minLength: 1, maxLength: 4 })
    .filter((stages) => amplified(stages) < MAX_AMPLIFIED),
  vertices: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 700 })),
  instances: fc.integer({ min: 1, max: 3 }),
});

const index = (i: number): number => (i * 7 + (i >>> 2)) % 97;
export const isStrip = (topology: Topology): boolean => /strip/.test(topology);
/** The vertices of a draw call; RESTART where a strip restarts. */
export const indicesOf = ({ input, indexed, restart, vertices }: EmittingCase): number[] =>
  Array.from({ length: vertices }, (_, i) =>
    !indexed ? i : isStrip(input) && i % restart === restart - 1 ? RESTART : index(i)
  );

export const amplified = (stages: readonly AnyStage[]): number =>
  stages.reduce((all, stage) => (stage.kind === 'vertex' ? all : all * stage.most), 1);
export const madeOf = (stage: GeometryStage | PatchStage): EmittedTopology =>
  stage.kind === 'geometry'
    ? stage.topology
    : stage.points
      ? 'point-list'
      : stage.domain === 'lines'
        ? 'line-list'
        : 'triangle-list';
