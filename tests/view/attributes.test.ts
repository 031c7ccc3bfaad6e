// The attributes of a view.
import { expect, test } from 'vitest';
import {
  cameraOf,
  DRAWING,
  LOADING,
  panoramaOf,
  pictureOptionsOf,
  rotationOf,
  SURROUNDING,
  type RasterloomViewAttributes,
} from '../../src/view/attributes';

const of =
  (attributes: Record<string, string>) =>
  (name: string): string | null =>
    attributes[name] ?? null;

test('a view without attributes has a transparent background', () => {
  expect(pictureOptionsOf(of({}))).toEqual({ background: 'transparent' });
  expect(cameraOf(of({}))).toEqual({ start: { azimuth: 30, elevation: 18, distance: 1 } });
  expect(rotationOf(of({}))).toBe(0);
});

test('values become options, also wrong ones, which the library refuses', () => {
  expect(
    pictureOptionsOf(
      of({
        environment: 'sunset',
        exposure: '-1.5',
        background: '#fff',
        samples: '8',
        animation: 'walk',
        variant: '2',
        ground: '',
      })
    )
  ).toEqual({
    environment: 'sunset',
    exposure: -1.5,
    background: '#fff',
    samples: 8,
    animation: 'walk',
    variant: 2,
    ground: true,
  });
  expect(pictureOptionsOf(of({ exposure: 'bright' })).exposure).toBeNaN();
  expect(pictureOptionsOf(of({ animation: '' })).animation).toBe(0);
});

test('an environment that is no preset is an address', () => {
  expect(panoramaOf(of({}))).toBeNull();
  expect(panoramaOf(of({ environment: 'sky' }))).toBeNull();
  expect(panoramaOf(of({ environment: 'light.hdr' }))).toBe('light.hdr');
  expect(pictureOptionsOf(of({ environment: 'light.hdr' })).environment).toBeUndefined();
});

test('two or three numbers place the camera; anything else is a camera of the file', () => {
  expect(cameraOf(of({ camera: '45 20' }))).toEqual({ start: { azimuth: 45, elevation: 20, distance: 1 } });
  expect(cameraOf(of({ camera: '-45, 0, 2.5' }))).toEqual({ start: { azimuth: -45, elevation: 0, distance: 2.5 } });
  expect(cameraOf(of({ camera: '1' }))).toEqual({ file: 1 });
  expect(cameraOf(of({ camera: 'Close up' }))).toEqual({ file: 'Close up' });
});

test('auto-rotate takes degrees per second', () => {
  expect(rotationOf(of({ 'auto-rotate': '' }))).toBe(30);
  expect(rotationOf(of({ 'auto-rotate': 'auto-rotate' }))).toBe(30);
  expect(rotationOf(of({ 'auto-rotate': '-12.5' }))).toBe(-12.5);
  expect(rotationOf(of({ 'auto-rotate': '0' }))).toBe(0);
});

test('types for templates name every attribute', () => {
  const names: Record<keyof RasterloomViewAttributes, true> = {
    src: true,
    alt: true,
    poster: true,
    camera: true,
    environment: true,
    exposure: true,
    background: true,
    samples: true,
    animation: true,
    variant: true,
    ground: true,
    'auto-rotate': true,
    renderer: true,
  };
  expect(Object.keys(names).sort()).toEqual([...LOADING, ...DRAWING, ...SURROUNDING].sort());
});
