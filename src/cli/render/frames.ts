// The pictures of a model, one for each frame.
import { sinCosDegrees } from '../../gltf/math';
import type { RenderSettings } from '../options/options';

/** Settings of each frame; the first ones are those of a single picture. */
export function framesOf(settings: RenderSettings): RenderSettings[] {
  if (!settings.frames) return [settings];
  return Array.from({ length: settings.frames.count }, (_, i) => frameAt(settings, i));
}

/** Settings of a frame by its number, also of the one after the last. */
export function frameAt(settings: RenderSettings, i: number): RenderSettings {
  const { frames, view, choice, width, height, projection } = settings;
  const { step, angle } = frames ?? { step: settings.step, angle: 0 };
  const frame = { ...settings };
  const start = choice.moment ?? { animation: undefined, time: 0 };
  if (step > 0) frame.choice = { ...choice, moment: { ...start, time: start.time + i * step } };
  if (angle > 0 && 'orbit' in view) {
    const { azimuth, elevation, distance = sphereDistance(width / height, projection) } = view.orbit;
    frame.view = { orbit: { azimuth: azimuth + i * angle, elevation, distance } };
  }
  return frame;
}

/** Distance in radii at which the bounding sphere fits the picture, so that all views show the model as large. */
function sphereDistance(aspect: number, { fieldOfView, margin }: RenderSettings['projection']): number {
  const { sin, cos } = sinCosDegrees(fieldOfView / 2);
  const slope = (sin / cos) * Math.min(1, aspect) * (1 - 2 * margin);
  return Math.sqrt(1 + slope * slope) / slope;
}
