// The corridor of examples/shading/corridor.mjs. A table of shading rates shades its distant parts coarsely.
import { corridor as corridorOf, depthRates } from '../../examples/shading/corridor-scene.mjs';
import { canvas, depthAttachment, FORMAT } from './kit.mjs';

/**
 * `rates`: the `shadingRates` of the passes, on a device with the feature shading-rate. Without it, the rate is 1×1.
 */
export function corridor(device, { rates, ...o }) {
  const picture = canvas(device, o);
  const depthStencilAttachment = depthAttachment(device, o);
  const scene = corridorOf(device, { ...o, format: FORMAT });
  return {
    color: picture.color,
    render: () =>
      picture.frame((encoder, tick) => {
        const pass = encoder.beginRenderPass({
          colorAttachments: [picture.attachment()],
          depthStencilAttachment,
          ...(rates ? { shadingRates: rates } : {}),
        });
        scene.draw(pass, tick);
        pass.end();
      }),
  };
}

/** The rates that `rasterloom render --shading-rate auto` would choose. */
export const corridorRates = { depth: depthRates };
