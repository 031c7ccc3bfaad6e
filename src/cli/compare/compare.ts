// `rasterloom compare`: how much two pictures differ, as figures, as a picture and as an exit code.
import pixelmatch from 'pixelmatch';
import { quoted } from '../../base/printable';
import { decodeImage } from '../../gltf/images/image';
import type { Pixels } from '../../gltf/images/codecs';
import { nodeCodecs } from '../../node/codec-wasm';
import { reason } from '../../node/models/files';
import { encodePicture } from '../../node/png';
import { EXIT, InputError } from '../errors';
import { readFileUpTo } from '../input';
import type { CompareCommand } from '../options/compare-options';
import { checkOutput, writeWhole } from '../output-file';
import { writeTextTo, type Terminal } from '../progress';
import { ssim } from './ssim';

/** Largest file of a picture in bytes. */
const MAX_BYTES = 512 * 1024 * 1024;

/** The members of `--json`. */
interface CompareReport {
  /** Whether the pictures are alike within the limits. */
  same: boolean;
  width: number;
  height: number;
  /** Pixels whose colours differ by more than the threshold; pixels that only differ in antialiasing do not count. */
  differentPixels: number;
  /** Their share of all pixels, 0 to 1. */
  differentShare: number;
  /** Structural similarity, 1 for equal pictures; null for pictures with a side below 8 pixels. */
  ssim: number | null;
}

/** Compares two pictures. @returns EXIT.done if they are alike, otherwise EXIT.no @throws CommandError */
export async function compareCommand(
  command: CompareCommand,
  { stdout }: { stdout: Terminal }
): Promise<typeof EXIT.done | typeof EXIT.no> {
  if (command.output !== undefined) await checkOutput(command.output, stdout, 'difference');
  const [a, b] = [await readPicture(command.first), await readPicture(command.second)];
  const out = writeTextTo(stdout);
  const { width, height } = a;
  if (width !== b.width || height !== b.height) {
    const report = { same: false, sizes: [a, b].map((each) => [each.width, each.height]) };
    if (command.json) out(`${JSON.stringify(report, null, 2)}\n`);
    else out(`The pictures have different sizes, ${width}×${height} and ${b.width}×${b.height} pixels.\n`);
    return EXIT.no;
  }
  const difference = command.output === undefined ? null : new Uint8Array(a.data.length);
  const differentPixels = pixelmatch(a.data, b.data, difference, width, height, { threshold: command.threshold });
  const differentShare = differentPixels / (width * height);
  const similarity = ssim(a.data, b.data, width, height);
  const report: CompareReport = {
    same: differentShare <= command.maxDifferent && !(similarity < command.minSsim),
    width,
    height,
    differentPixels,
    differentShare,
    ssim: Number.isNaN(similarity) ? null : similarity,
  };
  if (command.output !== undefined)
    await writeWhole(command.output, encodePicture(difference!, width, height), 'The difference');
  out(command.json ? `${JSON.stringify(report, null, 2)}\n` : describeReport(report));
  return report.same ? EXIT.done : EXIT.no;
}

function describeReport({ same, differentPixels, differentShare, ssim: similarity }: CompareReport): string {
  return [
    `different pixels  ${differentPixels} (${(differentShare * 100).toPrecision(3)} %)`,
    `SSIM              ${similarity === null ? 'none, the pictures are too small' : similarity.toFixed(4)}`,
    same ? 'The pictures are alike.' : 'The pictures differ.',
    '',
  ].join('\n');
}

async function readPicture(path: string): Promise<Pixels> {
  const name = `The picture ${quoted(path)}`;
  let bytes;
  try {
    bytes = await readFileUpTo(path, {
      limit: MAX_BYTES,
      exceeded: () => new InputError(`${name} is larger than ${MAX_BYTES >> 20} MiB.`),
    });
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${name} ${reason(error)}.`, { cause: error });
  }
  return decodeImage(bytes, name, nodeCodecs());
}
