// The sizes of a view's pictures.
import { afterEach, expect, test, vi } from 'vitest';
import { MovingScale, sizeOf } from '../../src/view/pictures';

afterEach(() => vi.unstubAllGlobals());

test('pictures have the pixels of the screen, at most two per CSS pixel and 4096 per side', () => {
  const box = { width: 300, height: 200 };
  expect(sizeOf(box, 1)).toEqual([300, 200]);
  vi.stubGlobal('devicePixelRatio', 1.5);
  expect(sizeOf(box, 1)).toEqual([450, 300]);
  expect(sizeOf(box, 0.5)).toEqual([225, 150]);
  vi.stubGlobal('devicePixelRatio', 3);
  expect(sizeOf(box, 1)).toEqual([600, 400]);
  expect(sizeOf({ width: 4096, height: 1024 }, 1)).toEqual([4096, 1024]);
  expect(sizeOf({ width: 0.1, height: 0.1 }, 0.1)).toEqual([1, 1]);
});

test('slow pictures become smaller, and grow again when many in a row were fast enough', () => {
  const moving = new MovingScale();
  expect(moving.scale).toBe(1);
  moving.drawn(100);
  moving.drawn(60);
  expect(moving.scale).toBe(0.5);
  // Fast, but not by enough for the next size.
  for (let i = 0; i < 20; i++) moving.drawn(30);
  expect(moving.scale).toBe(0.5);
  for (let i = 0; i < 8; i++) moving.drawn(10);
  expect(moving.scale).toBe(0.75);
  for (let i = 0; i < 10; i++) moving.drawn(1000);
  expect(moving.scale).toBe(0.35);
});
