import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NodeIO } from '@gltf-transform/core';
import { ALL_EXTENSIONS } from '@gltf-transform/extensions';
import { describe, expect, test } from 'vitest';
import { ROOT, said, written } from './examples.kit';

/** The triangles of a model's mesh with that name. */
async function meshOf(file: string, name: string): Promise<{ positions: number[][]; indices: readonly number[] }> {
  const document = await new NodeIO().registerExtensions(ALL_EXTENSIONS).read(file);
  const mesh = document
    .getRoot()
    .listMeshes()
    .find((each) => each.getName() === name)!;
  const primitive = mesh.listPrimitives()[0]!;
  const accessor = primitive.getAttribute('POSITION')!;
  return {
    positions: Array.from({ length: accessor.getCount() }, (_, i) => accessor.getElement(i, [])),
    indices: [...primitive.getIndices()!.getArray()!],
  };
}
describe('examples', () => {
  test('modifiers.mjs writes the picture of seven columns with shadows, each modified differently', () => {
    const { size, at } = written('modular/modifiers.mjs');
    expect(size).toEqual([640, 184]);
    const floor = at(3, 3);
    const shadow = at(86, 120);
    expect([floor, shadow]).toEqual([
      [222, 219, 214, 255],
      [189, 184, 179, 255],
    ]);
    const isBody = (x: number, y: number): boolean => ![floor, shadow].some((flat) => flat.join() === at(x, y).join());
    /** Extent of a column in a row: first pixel, and width. Columns are 87 pixels apart. */
    const across = (place: number, y: number): [number, number] => {
      const from = place * 87;
      const xs = Array.from({ length: 86 }, (_, i) => from + i).filter((x) => isBody(x, y));
      return [xs[0]! - from, xs.length];
    };
    const ROWS = [40, 85, 135];
    const [plain, inflated, , waved, bent] = [0, 1, 2, 3, 4].map((place) => ROWS.map((y) => across(place, y)));
    expect(inflated!.map(([, pixels], i) => Math.sign(pixels - plain![i]![1] - 10))).toEqual([-1, 1, -1]);
    expect(waved!.map(([left], i) => Math.sign(left - plain![i]![0]))).toEqual([1, -1, -1]);
    expect(bent!.map(([left], i) => left - plain![i]![0] > 10)).toEqual([true, true, false]);
  });

  test('material.mjs writes the picture of 256 balls, no two alike', () => {
    const { size, at } = written('modular/material.mjs');
    expect(size).toEqual([640, 640]);
    const paper = at(0, 0).join();
    const balls = new Set<string>();
    for (let ball = 0; ball < 256; ball++) {
      const [x, y] = [40 * (ball % 16), 40 * (ball >> 4)];
      expect(at(x, y).join()).toBe(paper);
      balls.add(Array.from({ length: 40 }, (_, i) => [at(x + i, y + 14), at(x + 12, y + i)].join()).join());
    }
    expect(balls.size).toBe(256);
  });

  test('dissolve.mjs writes the picture of balls with fewer and fewer whole triangles', () => {
    const { size, at } = written('modular/dissolve.mjs');
    expect(size).toEqual([640, 184]);
    const [blue, orange] = [0, 1, 2, 3]
      .map((ball) => {
        const pixels = Array.from({ length: 160 * 184 }, (_, i) => at(160 * ball + (i % 160), Math.floor(i / 160)));
        const whole = pixels.filter(([r, , b]) => b! > r! + 60).length;
        return [whole, pixels.filter(([r, , b]) => r! > b! + 60).length] as const;
      })
      .reduce<[number[], number[]]>(
        ([a, b], [c, d]) => [
          [...a, c],
          [...b, d],
        ],
        [[], []]
      );
    for (const ball of [1, 2, 3]) expect(blue[ball]).toBeLessThan(blue[ball - 1]!);
    for (const ball of [1, 2]) expect(orange[ball]).toBeGreaterThan(orange[ball - 1]!);
    expect(blue[0]).toBeGreaterThan(8000);
    expect(blue[3]).toBeLessThan(1000);
  });

  test('lines.mjs writes the picture of a line, dashes, a line that ends, and discs', () => {
    const { size, at } = written('modular/lines.mjs');
    expect(size).toEqual([640, 184]);
    const paper = at(3, 3).join();
    /** Number of segments and pixels of a curve's row that differ from the paper. Curves are 160 pixels apart. */
    const across = (place: number, y: number): [number, number] => {
      const drawn = Array.from({ length: 160 }, (_, x) => at(place * 160 + x, y).join() !== paper);
      return [drawn.filter((is, x) => is && !drawn[x - 1]).length, drawn.filter(Boolean).length];
    };
    const [line, dashes, ending, discs] = [0, 1, 2, 3].map((place) => across(place, 18));
    expect([line![0], dashes![0], ending![0], discs![0]]).toEqual([1, 6, 1, 5]);
    expect(line![1]).toBeGreaterThan(30);
    expect(ending![1]).toBeLessThan(10);
  });

  test('fur.mjs writes the picture of a ball, and of four with increasingly processed strands', () => {
    const { size, at } = written('modular/fur.mjs');
    expect(size).toEqual([640, 184]);
    const floor = at(3, 3).join();
    const shadow = at(80, 135).join();
    expect([floor, shadow]).toEqual(['222,219,214,255', '189,184,179,255']);
    /** Pixels of a ball in its middle row. Balls are 126 pixels apart. */
    const [bare, stubble, long, combed, blown] = [0, 1, 2, 3, 4].map(
      (place) =>
        Array.from({ length: 126 }, (_, x) => at(place * 126 + x, 86).join()).filter(
          (pixel) => pixel !== floor && pixel !== shadow
        ).length
    );
    expect(bare).toBe(70);
    expect(stubble! - bare!).toBeGreaterThan(10);
    expect(combed! - stubble!).toBeGreaterThan(0);
    expect(long! - combed!).toBeGreaterThan(0);
    expect(blown! - stubble!).toBeGreaterThan(0);
  });

  test('subdivide.mjs writes a model with four times the triangles, rounder and without gaps', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
    try {
      const { status, out, err } = said(folder, 'modular/subdivide.mjs', '--stats');
      expect({ status, err }).toEqual({ status: 0, err: '' });
      expect(out).toMatch(/^30,000 triangles became 120,000, with [\d,]+ vertices\.\n/);
      expect(out).toMatch(/\n +1 +split +\d+ +90,000 +240,000 +30,000 +120,000\n +2 +split +0 +0 +0 +0 +0\n/);
      expect(out).toMatch(/\nWrote subdivided\.glb\.\n$/);
      expect(readdirSync(folder)).toEqual(['subdivided.glb']);
      const sample = fileURLToPath(new URL('examples/sample.glb', ROOT));
      const made = join(folder, 'subdivided.glb');
      const [before, after] = await Promise.all(
        [sample, made].map(async (file) => {
          const document = await new NodeIO().registerExtensions(ALL_EXTENSIONS).read(file);
          const root = document.getRoot();
          return {
            nodes: root.listNodes().length,
            names: root.listMaterials().map((material) => material.getName()),
            images: root.listTextures().map((texture) => [...texture.getImage()!].length),
            sphere: root
              .listMeshes()
              .map((mesh) => mesh.getName())
              .find((name) => /glass/.test(name))!,
          };
        })
      );
      expect(after).toEqual(before);
      const [coarse, fine] = await Promise.all([sample, made].map((file) => meshOf(file, before!.sphere)));
      expect(fine!.indices).toHaveLength(coarse!.indices.length * 4);
      // A ball: new vertices are much closer to it than the midpoints of the old edges.
      const off = (p: readonly number[]): number => Math.abs(Math.hypot(...p) - 1);
      const middles = coarse!.indices.map((corner, i) => {
        const other = coarse!.indices[i % 3 === 2 ? i - 2 : i + 1]!;
        return coarse!.positions[corner]!.map((x, c) => (x + coarse!.positions[other]![c]!) / 2);
      });
      const worst = Math.max(...middles.map(off));
      expect(Math.max(...fine!.positions.map(off))).toBeLessThan(worst / 10);
      // No gaps: each edge, by its position, has triangles on both sides. (Triangles at the poles have degenerate
      // edges.)
      const edges = new Map<string, number>();
      fine!.indices.forEach((corner, i) => {
        const [a, b] = [corner, fine!.indices[i % 3 === 2 ? i - 2 : i + 1]!].map((v) => fine!.positions[v]!.join());
        if (a === b) return;
        const [key, turn] = a! < b! ? [`${a} ${b}`, 1] : [`${b} ${a}`, -1];
        edges.set(key, (edges.get(key) ?? 0) + turn);
      });
      expect([...edges.values()].filter((turns) => turns !== 0)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('subdivide.mjs reports invalid input', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
    try {
      const wrong = (...words: string[]): string => {
        const { status, out, err } = said(folder, 'modular/subdivide.mjs', ...words);
        expect({ status, out }).toEqual({ status: 1, out: '' });
        return err;
      };
      expect(wrong('nothing.glb')).toBe('subdivide: The model "nothing.glb" does not exist.\n');
      expect(wrong('--times', '4')).toMatch(/^subdivide: --times is "4"; it is 1, 2 or 3; usage: /);
      expect(wrong('--twice')).toMatch(/^subdivide: Unknown option '--twice'.*; usage: /);
      expect(wrong('a.glb', 'b.png')).toMatch(/^subdivide: The output "b.png" does not end in .glb; usage: /);
      const sample = fileURLToPath(new URL('examples/sample.glb', ROOT));
      expect(wrong(sample, 'no/folder.glb')).toMatch(/^subdivide: The model "no\/folder.glb" cannot be written: /);
      expect(readdirSync(folder)).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('examples of modular pipelines print the statistics of their slots', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rasterloom-'));
    try {
      for (const [name, row] of [
        ['modifiers', / +2 +twist +\d+ +[\d,]+ +[\d,]+ +0 +0\n/],
        ['lines', /widen +\d+/],
        ['fur', /grow +\d+/],
        ['dissolve', /5000 sparks are in the buffer, and 4614 did not fit/],
      ] as const) {
        const { status, out, err } = said(folder, `modular/${name}.mjs`, '--stats');
        expect({ status, err }).toEqual({ status: 0, err: '' });
        expect(out).toMatch(row);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('relief.mjs draws hills, hairs and outlines in one pipeline', () => {
    const { size, at } = written('modular/relief.mjs');
    expect(size).toEqual([768, 384]);
    const all = Array.from({ length: 768 * 384 }, (_, i) => at(i % 768, Math.floor(i / 768)));
    const dark = all.filter(([r, g, b]) => r! < 60 && g! < 60 && b! < 80).length;
    const green = all.filter(([r, g, b]) => g! > r! + 60 && g! > b! + 20).length;
    expect([dark > 300, green > 2000]).toEqual([true, true]);
    // Nothing is drawn at the top.
    expect(new Set(all.slice(0, 768 * 80).map((pixel) => pixel.join())).size).toBe(1);
  });

  test('terrain.mjs writes the picture of hills under a sky, and of their triangles', () => {
    const { size, at } = written('modular/terrain.mjs');
    expect(size).toEqual([640, 320]);
    // The sky is as wide as the picture.
    for (const y of [0, 40]) expect(new Set([0, 200, 399, 400, 639].map((x) => at(x, y).join())).size).toBe(1);
    /** Steps of brightness between pixels in a row of the lake, where only lines are visible. */
    const steps = (from: number, to: number): number =>
      Array.from({ length: to - from }, (_, i) => Math.abs(at(from + i, 300)[2]! - at(from + i + 1, 300)[2]!)).filter(
        (step) => step > 12
      ).length;
    expect(steps(590, 638)).toBeGreaterThan(4);
    expect(steps(0, 40)).toBeLessThan(3);
  });
});
