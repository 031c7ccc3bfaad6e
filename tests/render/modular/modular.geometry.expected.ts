// The primitives that pipelines with emitting stages must give.
import { cut } from './tessellation.kit';
import {
  type EmittingCase,
  type GeometryStage,
  INPUTS,
  MASK,
  PIXELS,
  type PatchStage,
  RESTART,
  type Topology,
  type VertexStage,
  indicesOf,
  isStrip,
  madeOf,
} from './modular.geometry.cases';

interface Packet {
  readonly a: number;
  readonly b: number;
}
interface Primitive {
  readonly corners: readonly Packet[];
  readonly number: number;
}

/**
 * The primitives of `count` vertices as vertex numbers, after the section on primitive topologies of the Vulkan
 * specification.
 */
export function primitivesIn(topology: Topology, count: number): number[][] {
  const corners = INPUTS[topology];
  const all = (length: number, of: (i: number) => number[]): number[][] =>
    Array.from({ length: Math.max(0, length) }, (_, i) => of(i));
  const following = (first: number): number[] => Array.from({ length: corners }, (_, c) => first + c);
  if (topology === 'triangle-strip') return all(count - 2, (i) => [i, i + 1 + (i % 2), i + 2 - (i % 2)]);
  if (topology !== 'triangle-strip-adjacency')
    return isStrip(topology)
      ? all(count - corners + 1, following)
      : all(Math.floor(count / corners), (i) => following(i * corners));
  const triangles = Math.floor((count - 4) / 2);
  return all(triangles, (i) => {
    const before = i === 0 ? 1 : 2 * i - 2;
    const behind = i === triangles - 1 ? 2 * i + 5 : 2 * i + 6;
    return i % 2 === 0
      ? [2 * i, before, 2 * i + 2, behind, 2 * i + 4, 2 * i + 3]
      : [2 * i, 2 * i + 3, 2 * i + 4, behind, 2 * i + 2, before];
  });
}

/** The primitives of the draw call's vertices. The number of a strip's primitive is that of its first vertex. */
function assembled(of: EmittingCase, at: readonly Packet[]): Primitive[] {
  const indices = indicesOf(of);
  const found: Primitive[] = [];
  const step = of.input === 'triangle-strip-adjacency' ? 2 : 1;
  for (let first = 0; first < of.vertices;) {
    const end = indices.indexOf(RESTART, first);
    const next = end < 0 ? of.vertices : end;
    for (const [k, corners] of primitivesIn(of.input, next - first).entries()) {
      found.push({
        corners: corners.map((corner) => at[first + corner]!),
        number: isStrip(of.input) ? Math.floor((first + step * k) / step) : found.length,
      });
    }
    first = next + 1;
  }
  return found;
}

const onVertex = ({ factor, addend }: VertexStage, { a, b }: Packet, vertex: number, instance: number): Packet => ({
  a: (a * factor + b + addend) & MASK,
  b: (b + vertex + instance * 3) & MASK,
});

/** The output of a primitive: strips of vertices, each with its number. */
function emitted({ most, cut: every }: GeometryStage, { corners, number }: Primitive): Packet[][] {
  const all: Packet[][] = [[]];
  const [first] = corners;
  const count = (first!.a + number) % (most + 1);
  for (let k = 0; k < count; k++) {
    const one = corners[k % corners.length]!;
    const other = corners[(k + 1) % corners.length]!;
    all.at(-1)!.push({ a: (one.a * 3 + other.b + k) & MASK, b: (first!.b + number * 5 + k) & MASK });
    if ((first!.b + k) % every === 0) all.push([]);
  }
  return all;
}

/** The output of a patch: vertices and the primitives between them. */
function tessellated(
  { domain, spacing, winding, points }: PatchStage,
  { corners, number }: Primitive
): { vertices: Packet[]; primitives: readonly (readonly number[])[] } {
  const [first, last] = [corners[0]!, corners.at(-1)!];
  const other = corners[1 % corners.length]!;
  const outer = [0, 1, 2, 3].map((k) => ((first.a + k + number) % 8) * 0.75);
  const inner = [0, 1].map((k) => ((first.b + k) % 6) * 0.75 + 0.5);
  const { vertices, primitives } = cut({ domain, spacing, outer, inner, maxLevel: 5 });
  const turned = winding === 'cw' && domain !== 'lines';
  const sum = first.a + number * 3;
  const part = (x: number): number => Math.floor(x * 512);
  return {
    vertices: vertices.map(([u, v, w]) => ({
      a: (first.a * 3 + last.b + part(u) * 7 + part(v) * 5) & MASK,
      b: (sum + other.b + part(w) + number) & MASK,
    })),
    primitives: points
      ? vertices.map((_, i) => [i])
      : turned
        ? primitives.map(([a, b, c]) => [a!, c!, b!])
        : primitives,
  };
}

/** The primitives after all stages, in order. */
function* primitivesOf(of: EmittingCase): Iterable<Primitive & { readonly instance: number }> {
  const [firstGeometry = of.stages.length] = of.stages
    .map((stage, i) => (stage.kind === 'vertex' ? -1 : i))
    .filter((i) => i >= 0);
  for (let instance = 0; instance < of.instances; instance++) {
    const shade = (packets: readonly Packet[], from: number, to: number, numbers: readonly number[]): Packet[] =>
      packets.map((packet, v) =>
        of.stages
          .slice(from, to)
          .reduce(
            (last, stage) =>
              stage.kind === 'vertex' && stage.on ? onVertex(stage, last, numbers[v]!, instance) : last,
            packet
          )
      );
    const numbers = indicesOf(of);
    let packets = shade(
      numbers.map((n) => ({ a: (n * 5) & MASK, b: n })),
      0,
      firstGeometry,
      numbers
    );
    let primitives = assembled(of, packets);
    for (let at = firstGeometry; at < of.stages.length;) {
      const stage = of.stages[at] as GeometryStage | PatchStage;
      const next = of.stages.findIndex((each, i) => i > at && each.kind !== 'vertex');
      const end = next < 0 ? of.stages.length : next;
      primitives = primitives.flatMap((primitive) => {
        if (stage.kind === 'tess') {
          const { vertices, primitives: lists } = tessellated(stage, primitive);
          packets = shade(
            vertices,
            at + 1,
            end,
            vertices.map((_, i) => i)
          );
          return lists.map((list) => ({ corners: list.map((i) => packets[i]!), number: primitive.number }));
        }
        let k = 0;
        return emitted(stage, primitive).flatMap((strip) => {
          packets = shade(
            strip,
            at + 1,
            end,
            strip.map((_, i) => k + i)
          );
          k += strip.length;
          return primitivesIn(stage.topology, packets.length).map((corners) => ({
            corners: corners.map((corner) => packets[corner]!),
            number: primitive.number,
          }));
        });
      });
      at = end;
    }
    for (const primitive of primitives) yield { ...primitive, instance };
  }
}

/** A word per pixel: the last point there, and 1; 0 where there is none. */
export function emittedBy(of: EmittingCase): Uint32Array {
  const found = new Uint32Array(PIXELS);
  for (const { corners, number, instance } of primitivesOf(of))
    corners.forEach(({ a, b }, k) => {
      const value = a * 1024 + b;
      found[(value * 31 + number * 17 + k * 5 + instance * 999) % PIXELS] = value + 1;
    });
  return found;
}

/** Two words per vertex, primitive by primitive. */
export const listedBy = (of: EmittingCase): number[] =>
  [...primitivesOf(of)].flatMap(({ corners }) => corners.flatMap(({ a, b }) => [a, b]));

/** Vertices per primitive at the end of the pipeline. */
export const cornersAtEnd = ({ input, stages }: EmittingCase): number =>
  INPUTS[stages.reduce<Topology>((before, stage) => (stage.kind === 'vertex' ? before : madeOf(stage)), input)];
