// `rasterloom tile`: writes the images of a model, or one image, as tiled files for `rasterloom render --stream`.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { plain, quoted } from '../base/printable';
import { DEFAULT_MODEL_BYTES } from '../gltf/budget';
import { checkImageSize, readImageHeader } from '../gltf/images/image';
import { createDecoder, imagesOf, type ImageJob } from '../gltf/images/image-set';
import { loadModel } from '../gltf/files/load';
import { flattenScene } from '../gltf/scene/scene';
import { nodeCodecs } from '../node/codec-wasm';
import { CommandError, InputError, OutputError } from './errors';
import { number, formatBytes } from './format-figures';
import { reason } from '../node/models/files';
import { readFileUpTo } from './input';
import { Progress, writeTextTo, type Terminal } from './progress';
import { resourcesOf } from '../node/models/resources';
import { tileFileName, writeTiles } from './tile-file';
import type { TileCommand } from './options/tile-options';

/** A file that was written, for --json. */
interface TiledImage {
  image: string;
  file: string;
  /** Whether its colours are sRGB; otherwise they are data. */
  srgb: boolean;
  width: number;
  height: number;
  levels: number;
  bytes: number;
}

/** Writes the files and lists them. @throws CommandError or ModelError; files that were already written stay */
export async function tileCommand(
  command: TileCommand,
  { stdout, stderr }: { stdout: Terminal; stderr: Terminal }
): Promise<void> {
  const progress = new Progress(stderr);
  const report: TiledImage[] = [];
  try {
    const jobs = await jobsOf(command);
    const decode = createDecoder(nodeCodecs());
    await mkdir(command.output, { recursive: true }).catch((error: unknown) => {
      throw new OutputError(`The folder ${quoted(command.output)} cannot be created: ${describeWriteError(error)}.`, {
        cause: error,
      });
    });
    for (const [i, job] of jobs.entries()) {
      progress.at('decode', i / jobs.length);
      for (const chain of await decode(job)) {
        const file = join(command.output, tileFileName(job.bytes, chain.srgb));
        const [{ width, height }] = chain.levels;
        const bytes = await writeTiles(file, job.bytes, chain, command.pageSize);
        report.push({ image: job.name, file, srgb: chain.srgb, width, height, levels: chain.levels.length, bytes });
      }
    }
  } finally {
    progress.end();
  }
  const out = writeTextTo(stdout);
  if (command.json) out(`${JSON.stringify(report, null, 2)}\n`);
  else
    for (const { image, file, srgb, width, height, bytes } of report)
      out(
        `${plain(image, 200)}: ${width} × ${height} ${srgb ? 'colours' : 'numbers'}, `
          + `${formatBytes(bytes)} in ${plain(file, 400)}\n`
      );
  if (!command.json)
    out(
      `Wrote ${number(report.length)} file${report.length === 1 ? '' : 's'} of tiles; `
        + `rasterloom render --stream ${plain(command.output, 400)} reads them.\n`
    );
}

/** Explains why a folder cannot be created. */
function describeWriteError(error: unknown): string {
  switch ((error as { code?: string }).code) {
    case 'EEXIST':
      return 'a file with that name exists';
    case 'ENOTDIR':
      return 'a part of its path is a file';
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return 'its parent folder is not writable';
    default:
      return error instanceof Error ? error.message : String(error);
  }
}

async function jobsOf(command: TileCommand): Promise<ImageJob[]> {
  const { input } = command;
  const what = `The model or image ${quoted(input)}`;
  const most = DEFAULT_MODEL_BYTES;
  const exceeded = (): Error =>
    new InputError(`${what} is larger than ${most >> 20} MiB, the largest size that is read.`);
  const bytes = await readFileUpTo(input, { limit: most, exceeded }).catch((error: unknown) => {
    throw error instanceof CommandError ? error : new InputError(`${what} ${reason(error)}.`, { cause: error });
  });
  if (!isModel(bytes)) {
    const name = `The image ${quoted(input)}`;
    const { width, height } = readImageHeader(bytes, name);
    checkImageSize(width, height, name);
    return [{ bytes, name, srgb: [!command.data] }];
  }
  if (command.data)
    throw new CommandError('--data is only for a single image: a model specifies which of its images are data.');
  const jobs = [...imagesOf(flattenScene(await loadModel(bytes, resourcesOf(input, command))), null).values()];
  if (jobs.length === 0) throw new InputError(`The model ${quoted(input)} has no images to tile.`);
  return jobs;
}

/** Whether the first bytes are those of a .glb or .gltf. */
const isModel = (bytes: Uint8Array): boolean =>
  /^(glTF|\s*\{|\ufeff)/.test(new TextDecoder().decode(bytes.subarray(0, 64)));
