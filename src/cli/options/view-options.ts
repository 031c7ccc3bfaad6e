// Options that say what of a model is shown, and from where.
import { quoted } from '../../base/printable';
import { DEFAULT_ORBIT, DEFAULT_PROJECTION, type Projection, type View } from '../../gltf/scene/camera';
import type { SceneChoice } from '../../gltf/scene/scene';
import { CommandError } from '../errors';
import { numberOption } from './number-option';

/** A view, or a camera of the file by its name or index. */
export type ViewRequest = Exclude<View, { file: unknown }> | { fileCamera: string };

export const VIEW_OPTIONS = {
  camera: { type: 'string', short: 'c' },
  fov: { type: 'string' },
  orthographic: { type: 'boolean' },
  margin: { type: 'string' },
  scene: { type: 'string' },
  variant: { type: 'string' },
  animation: { type: 'string' },
  time: { type: 'string' },
  'point-size': { type: 'string' },
  'line-width': { type: 'string' },
} as const;

type Values = Partial<Record<Exclude<keyof typeof VIEW_OPTIONS, 'orthographic'>, string>> & { orthographic?: boolean };

interface ViewOptions {
  view: ViewRequest;
  projection: Projection;
  choice: SceneChoice;
  lineWidth: number;
  pointSize: number;
}

/** @throws CommandError */
export function parseView(values: Values): ViewOptions {
  const view: ViewRequest = values.camera === undefined ? { orbit: DEFAULT_ORBIT } : parseCamera(values.camera);
  const projection = {
    fieldOfView: numberOption(values.fov, '--fov', DEFAULT_PROJECTION.fieldOfView, [1, 170], 'degrees'),
    orthographic: values.orthographic ?? false,
    margin: numberOption(values.margin, '--margin', DEFAULT_PROJECTION.margin, [0, 0.45], 'of the picture'),
  };
  if ('fileCamera' in view)
    for (const name of ['fov', 'orthographic', 'margin'] as const)
      if (values[name] !== undefined)
        throw new CommandError(`--${name} has no effect on a camera of the file; leave out one of the two options.`);
  return {
    view,
    projection,
    choice: {
      scene: values.scene,
      variant: values.variant,
      moment:
        values.time === undefined && values.animation === undefined
          ? undefined
          : { animation: values.animation, time: numberOption(values.time, '--time', 0, [0, 1e6], 'seconds') },
    },
    lineWidth: numberOption(values['line-width'], '--line-width', 1, [0.1, 256], 'pixels'),
    pointSize: numberOption(values['point-size'], '--point-size', 3, [0.1, 256], 'pixels'),
  };
}

const NUMBER = /^\s*[-+]?(\d+\.?\d*|\.\d+)\s*$/;

/** Parses `orbit:…`, `look:…`, `file` and `file:…`. */
export function parseCamera(text: string): ViewRequest {
  const [, kind, rest = ''] = /^(orbit|look|file)(?::(.*))?$/.exec(text) ?? [];
  if (kind === 'file') return { fileCamera: rest || '0' };
  const parts = rest.split(',');
  const numbers = parts.map((part) => (NUMBER.test(part) ? Number(part) : NaN));
  const isGiven = !numbers.some(Number.isNaN);
  if (kind === 'look' && parts.length === 6 && isGiven) {
    const [eye, target] = [numbers.slice(0, 3), numbers.slice(3)] as [
      [number, number, number],
      [number, number, number],
    ];
    if (eye.every((x, i) => x === target[i])) throw new CommandError('The camera cannot look at its own place.');
    return { lookAt: { eye, target } };
  }
  if (kind !== 'orbit' || parts.length < 2 || parts.length > 3 || !isGiven)
    throw new CommandError(
      `--camera must be orbit:azimuth,elevation or orbit:azimuth,elevation,distance, as in orbit:30,18; look: and six `
        + `numbers, as in look:0,2,5,0,1,0; file or file:NAME; not ${quoted(text)}.`
    );
  const [azimuth, elevation, distance] = numbers as [number, number, number | undefined];
  if (elevation < -90 || elevation > 90)
    throw new CommandError(`The camera's elevation must be from -90 to 90 degrees, not ${elevation}.`);
  if (distance !== undefined && !(distance > 0 && distance <= 1000))
    throw new CommandError(
      `The camera's distance must be above 0 and at most 1000 radii of the model, not ${distance}.`
    );
  return { orbit: { azimuth, elevation, distance } };
}
