// The pictures of a model, one for each frame.
import { sinCosDegrees } from '../../gltf/math';
import type { RenderSettings } from '../options/options';

/** Settings of each frame; the first ones are those of a single picture. */
export function framesOf(settings: RenderSettings): RenderSettings[] {
  const { frames, view, choice, width, height, projection } = settings;
  if (!frames) return [settings];
  return Array.from({ length: frames.count }, (_, i) => {
    const frame = { ...settings };
    const start = choice.moment ?? { animation: undefined, time: 0 };
    if (frames.step > 0) frame.choice = { ...choice, moment: { ...start, time: start.time + i * frames.step } };
    if (frames.angle > 0 && 'orbit' in view) {
      const { azimuth, elevation, distance = sphereDistance(width / height, projection) } = view.orbit;
      frame.view = { orbit: { azimuth: azimuth + i * frames.angle, elevation, distance } };
    }
    return frame;
  });
}

/** Distance in radii at which the bounding sphere fits the picture, so that all views show the model as large. */
function sphereDistance(aspect: number, { fieldOfView, margin }: RenderSettings['projection']): number {
  const { sin, cos } = sinCosDegrees(fieldOfView / 2);
  const slope = (sin / cos) * Math.min(1, aspect) * (1 - 2 * margin);
  return Math.sqrt(1 + slope * slope) / slope;
}
