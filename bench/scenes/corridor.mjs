// The corridor of examples/corridor.mjs, whose far parts a table of shading rates shades coarsely.
import { corridor as corridorOf, depthRates } from '../../examples/corridor-scene.mjs';
import { canvas, depthAttachment, FORMAT } from './kit.mjs';

/** `rates`: 1×1 by itself; or what passes take as `shadingRates`, on a device with the feature shading-rate. */
export function corridor(device, { rates, ...o }) {
  const picture = canvas(device, o), depthStencilAttachment = depthAttachment(device, o);
  const scene = corridorOf(device, { ...o, format: FORMAT });
  return {
    color: picture.color,
    render: () => picture.frame((encoder, tick) => {
      const pass = encoder.beginRenderPass({
        colorAttachments: [picture.attachment()], depthStencilAttachment, ...(rates ? { shadingRates: rates } : {}),
      });
      scene.draw(pass, tick);
      pass.end();
    }),
  };
}

/** What `rasterloom render --shading-rate auto` would choose. */
export const corridorRates = { depth: depthRates };
