// Puts an animated picture or a sheet together of frames that other processes have drawn.
import type { Pass } from '../../gltf/passes/kinds';
import { decodeImage } from '../../gltf/images/image';
import { nodeCodecs } from '../../node/codec-wasm';
import { quoted } from '../../base/printable';
import { CommandError, InputError } from '../errors';
import { readFileUpTo } from '../input';
import type { Terminal } from '../progress';
import { PictureFiles } from '../render/picture-files';
import type { Task } from '../render/plan';
import type { RenderCommand } from '../options/options';
import { hashOf, type Resumed } from '../resume/resume';
import { fitInto } from '../sheet/fit';
import { labelsOf, Sheet } from '../sheet/sheet';
import { writePicture } from '../output-file';

const MAX_FRAME_BYTES = 2 ** 31;

/**
 * Reads the frames one by one, so that two of them are in memory, and encodes them as if they had just been drawn.
 * @param frames files of all pictures of the task
 * @returns bytes of the output @throws CommandError
 */
export async function assemble(
  task: Task,
  frames: readonly string[],
  stdout: Terminal,
  observer: Resumed
): Promise<number> {
  if (frames.length !== task.pictures.length)
    throw new CommandError(`The job has ${task.pictures.length} pictures, and there are files of ${frames.length}.`);
  const request = (task.settings as RenderCommand).batch.sheet;
  const sheet = request && new Sheet(request, labelsOf(task));
  const files = new PictureFiles(task, stdout, observer);
  try {
    for (const [number, { settings }] of task.pictures.entries()) {
      const picture = await readFrame(frames[number]);
      sheet?.add(number, fitInto(picture, request!.cell));
      await files.add(number, { ...picture, pass: settings.pass as Pass });
    }
    await files.end();
  } catch (error) {
    await files.discard();
    throw error;
  }
  if (!sheet) return files.bytes;
  const bytes = await sheet.encode();
  await writePicture(sheet.file, bytes, stdout);
  await observer.written(0, hashOf(bytes));
  return bytes.length;
}

interface Frame {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array<ArrayBuffer>;
}

/** @throws InputError */
async function readFrame(path: string): Promise<Frame> {
  const name = `The frame ${quoted(path)}`;
  const bytes = await readFileUpTo(path, {
    limit: MAX_FRAME_BYTES,
    exceeded: () => new InputError(`${name} is larger than ${MAX_FRAME_BYTES >>> 20} MiB.`),
  });
  const { width, height, data } = await decodeImage(bytes, name, nodeCodecs());
  return { width, height, pixels: data as Uint8Array<ArrayBuffer> };
}
