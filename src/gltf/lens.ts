// How blurred a lens shows what is at a distance: its circles of confusion, as a thin lens makes them.
import { HALF_HEIGHT, type Camera } from './camera';

/** A lens, as `--aperture` and `--focus` give it. */
export interface Lens {
  /** What lets light in: a diameter in units of the model, or an f-number. */
  aperture: { diameter: number } | { fNumber: number };
  /** The view distance that is sharp, in units of the model; undefined: that of the model's middle. */
  focus: number | undefined;
}

/** Radii of circles of confusion in pixels: slope · (window depth) + offset, below zero before the focus. */
export interface Blur {
  slope: number;
  offset: number;
  /** Larger circles are drawn with this radius. */
  most: number;
}

/** The film's height of a full-frame camera in metres, which is glTF's unit. */
const FILM_HEIGHT = 0.024;
/** Radii are limited to this part of the picture's height. */
const MOST = 1 / 20;

/**
 * The blur of a lens in a picture of so many rows. A point at the distance d is seen from the lens's rim within a
 * circle of diameter · |d − focus| / d in the plane that is sharp, of which the picture shows 2 · HALF_HEIGHT · focus.
 * That is linear in 1/d, and so is window depth.
 */
export function blurOf({ aperture, focus }: Lens, camera: Camera, rows: number): Blur {
  const diameter = 'diameter' in aperture ? aperture.diameter : FILM_HEIGHT / 2 / HALF_HEIGHT / aperture.fNumber;
  const distance = focus ?? camera.middle;
  const pixels = rows / (2 * HALF_HEIGHT * distance);
  const infinite = (diameter * pixels) / 2;
  const { near, far } = camera;
  // 1/d = (1 − z · (far − near) / far) / near
  const slope = (infinite * distance * (far - near)) / (far * near);
  return { slope, offset: infinite * (1 - distance / near), most: Math.max(1, rows * MOST) };
}
