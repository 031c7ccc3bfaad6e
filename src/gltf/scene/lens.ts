// Blur by distance: the circles of confusion of a thin lens.
import { ModelError } from '../errors';
import type { Camera } from './camera';

/** A lens, as given by `--aperture` and `--focus`. */
export interface Lens {
  /** Diameter in units of the model, or an f-number. */
  aperture: { diameter: number } | { fNumber: number };
  /** View distance of the focus in units of the model; undefined: that of the model's centre. */
  focus: number | undefined;
}

/** Radii of circles of confusion in pixels: slope · (window depth) + offset, negative in front of the focus. */
export interface Blur {
  slope: number;
  offset: number;
  /** Maximum radius; larger circles are drawn with this radius. */
  maximum: number;
}

/** Film height of a full-frame camera in metres, which are glTF's unit. */
const FILM_HEIGHT = 0.024;
/** Maximum radius relative to the height of the picture. */
const MAX_BLUR_RADIUS = 1 / 20;

/**
 * Returns the blur of a lens in a picture with `rows` rows. From the rim of the lens, a point at distance d appears
 * within a circle of diameter · |d − focus| / d in the plane of focus. The picture shows a height of 2 · halfHeight ·
 * focus of that plane. The circle is linear in 1/d, and so is window depth.
 */
export function blurOf({ aperture, focus }: Lens, camera: Camera, rows: number): Blur {
  const { halfHeight } = camera;
  if (camera.orthographic)
    throw new ModelError('An orthographic camera has no lens; leave out --aperture.', { code: 'view' });
  const diameter = 'diameter' in aperture ? aperture.diameter : FILM_HEIGHT / 2 / halfHeight / aperture.fNumber;
  const distance = focus ?? camera.middle;
  const pixels = rows / (2 * halfHeight * distance);
  const infinite = (diameter * pixels) / 2;
  const { near, far } = camera;
  // 1/d = (1 − z · (far − near) / far) / near
  const slope = (infinite * distance * (far - near)) / (far * near);
  return { slope, offset: infinite * (1 - distance / near), maximum: Math.max(1, rows * MAX_BLUR_RADIUS) };
}
