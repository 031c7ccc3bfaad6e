// The cameras of a file (glTF 2.0 §3.10).
import type { GLTF } from '@gltf-transform/core';
import { quoted } from '../../base/printable';
import { ModelError } from '../errors';
import { PI, normalize, sinCosDegrees, type Axes, type Mat4, type Vec3 } from '../math';

/** A camera in world space. */
export interface FileCamera {
  name: string;
  axes: Axes;
  eye: Vec3;
  near: number;
  /** Infinity if the file gives none. */
  far: number;
  /** Half the height of the picture at distance 1, or at any distance if it is orthographic. */
  halfHeight: number;
  /** Only orthographic cameras have it. */
  halfWidth: number | undefined;
  orthographic: boolean;
}

/** @throws ModelError if the camera's numbers make no picture */
export function readCamera(camera: GLTF.ICamera, name: string, world: Mat4): FileCamera {
  const wrong = (why: string): never => {
    throw new ModelError(`The camera ${quoted(name)} of the model ${why}.`);
  };
  const axis = (column: number): Vec3 => normalize([world[4 * column], world[4 * column + 1], world[4 * column + 2]]);
  const place = {
    name,
    axes: { right: axis(0), up: axis(1), back: axis(2) },
    eye: [world[12], world[13], world[14]] as Vec3,
  };
  if (camera.type === 'orthographic' && camera.orthographic) {
    const { xmag, ymag, znear, zfar } = camera.orthographic;
    if (!(ymag !== 0 && xmag !== 0 && zfar > znear && znear >= 0)) wrong('has no valid range');
    return {
      ...place,
      near: znear,
      far: zfar,
      halfHeight: Math.abs(ymag),
      halfWidth: Math.abs(xmag),
      orthographic: true,
    };
  }
  const { yfov = 0, znear = 0, zfar = Infinity } = camera.perspective ?? wrong('has no type');
  if (!(yfov > 0 && yfov < PI)) wrong(`has a vertical field of view of ${quoted(yfov)}`);
  if (!(znear > 0 && zfar > znear)) wrong('has no valid range');
  const { sin, cos } = sinCosDegrees((yfov * 90) / PI);
  return { ...place, near: znear, far: zfar, halfHeight: sin / cos, halfWidth: undefined, orthographic: false };
}

/** Finds a camera by its name or index. @throws ModelError that lists the cameras */
export function findCamera(cameras: readonly { name: string; read(): FileCamera }[], wanted: string): FileCamera {
  const found = cameras.find(({ name }) => name === wanted) ?? cameras[/^\d+$/.test(wanted) ? Number(wanted) : -1];
  if (found) return found.read();
  const names = cameras.slice(0, 20).map(({ name }, i) => `${i} (${quoted(name)})`);
  throw new ModelError(
    cameras.length === 0
      ? `The model has no camera ${quoted(wanted)}: it has no cameras at all.`
      : `The model has no camera ${quoted(wanted)}; it has ${names.join(', ')}.`,
    { code: 'not-found' }
  );
}
