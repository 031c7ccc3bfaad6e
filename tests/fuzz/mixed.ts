// The fuzzing target `mixed`: frames that mix all features, by seed, drawn repeatedly in all configurations, must give
// the same bits in attachments, buffers and counts. FUZZ_BUILD names a folder to use instead of build/, FUZZ_DRAWS how
// often each device draws a frame (3), and FUZZ_SHRINK the seconds for shrinking a failing frame (0).
import { findMistake, openAll, type Drawer } from './mixed/compare';
import { FAMILY, frameOf, type Frame } from './mixed/frames';
import { shaderOf } from './mixed/shader';
import { smaller } from './mixed/smaller';
import type { Target } from './target';

const DRAWS = Number(process.env['FUZZ_DRAWS'] ?? 3);
const SHRINK_MS = Number(process.env['FUZZ_SHRINK'] ?? 0) * 1000;

async function shrunk(frame: Frame, drawers: readonly Drawer[]): Promise<Frame> {
  const until = performance.now() + SHRINK_MS;
  if (SHRINK_MS === 0) return frame;
  return smaller(
    frame,
    async (less) => performance.now() < until && (await findMistake(less, drawers, DRAWS)) !== null
  );
}

async function told(frame: Frame, drawers: readonly Drawer[], found: string): Promise<string> {
  const small = await shrunk(frame, drawers);
  const shaders = small.looks.map((look) => shaderOf(look, small.setup));
  const mistake = small === frame ? found : ((await findMistake(small, drawers, DRAWS)) ?? found);
  return [mistake, JSON.stringify(small), ...shaders].join('\n');
}

let opened: readonly Drawer[] = [];

export const mixed: Target = {
  what: 'frames that mix all features, in eight configurations',
  maxAttemptMs: 60_000 + SHRINK_MS,
  reopenAfter: 4 * FAMILY,
  step: 1,
  async open() {
    for (const { device } of opened) device.destroy();
    const drawers = (opened = await openAll());
    let family = -1;
    return async (seed) => {
      const number = Math.floor(seed / FAMILY);
      if (number !== family) for (const { painter } of drawers) painter.pipelines.forget();
      family = number;
      const frame = frameOf(seed);
      const found = await findMistake(frame, drawers, DRAWS);
      return found === null ? null : told(frame, drawers, found);
    };
  },
};
