// `rasterloom info`: says what is in a model, and what of it is drawn.
import { plain, quoted } from '../base/printable';
import { DEFAULT_MODEL_BYTES, ModelBudget } from '../gltf/budget';
import { extensionState } from '../gltf/extensions';
import { loadModel } from '../gltf/files/load';
import { imagesOf } from '../gltf/images/image-set';
import { lightImages } from '../gltf/images/light-images';
import { describeModel } from '../gltf/library/info';
import type { GltfInfo } from '../gltf/library/types';
import { flattenScene } from '../gltf/scene/scene';
import { resourcesOf } from '../node/models/resources';
import { formatBytes, number } from './format-figures';
import type { Input } from './input';
import { readModel } from './model-file';
import type { InfoCommand } from './options/info-options';
import { writeTextTo, type Terminal } from './progress';

/** The members of `--json`. */
interface InfoReport extends GltfInfo {
  model: string;
  /** Size of the file. */
  bytes: number;
  /** The program that wrote the file, if it says so. */
  generator: string | null;
  lights: number;
  /** Whether the scene has an image-based light. */
  imageBasedLight: boolean;
  /** Number of images that the scene uses, and their size in the file. */
  images: number;
  imageBytes: number;
}

/** Reads a model and prints what it contains. @throws CommandError or ModelError */
export async function infoCommand(
  command: InfoCommand,
  { stdin, stdout }: { stdin: Input; stdout: Terminal }
): Promise<void> {
  const file = await readModel(command.model, stdin, DEFAULT_MODEL_BYTES);
  const budget = new ModelBudget();
  const model = await loadModel(file, resourcesOf(command.model, command), budget);
  const scene = flattenScene(model, budget);
  const { imageLight } = scene;
  const ofLight = imageLight ? lightImages(imageLight, budget) : [];
  const images = [...new Map([...imagesOf(scene, null), ...ofLight]).values()];
  const report: InfoReport = {
    model: command.model,
    bytes: file.length,
    generator: model.json.asset.generator ?? null,
    ...describeModel(model, scene),
    lights: scene.lights.length,
    imageBasedLight: imageLight !== undefined,
    images: images.length,
    imageBytes: images.reduce((sum, { bytes }) => sum + bytes.length, 0),
  };
  writeTextTo(stdout)(command.json ? `${JSON.stringify(report, null, 2)}\n` : describeReport(report));
}

function describeReport(report: InfoReport): string {
  const { bounds, extensions } = report;
  const list = (names: readonly string[]): string => names.map((name) => quoted(name)).join(', ') || 'none';
  const size = bounds.max.map((x, i) => Number((x - bounds.min[i]).toPrecision(4))).join(' × ');
  const rows: [string, string][] = [
    ['file', `${plain(report.model, 400)}, ${formatBytes(report.bytes)}`],
    ['made by', report.generator === null ? 'unknown' : plain(report.generator, 200)],
    ['size', `${size} units`],
    ['triangles', number(report.triangles)],
    ['draw calls', number(report.draws)],
    ['images', `${number(report.images)}, ${formatBytes(report.imageBytes)}`],
    ['lights', `${number(report.lights)}${report.imageBasedLight ? ', and an image-based light' : ''}`],
    ['scenes', list(report.scenes)],
    ['cameras', list(report.cameras)],
    ['variants', list(report.variants)],
    [
      'animations',
      report.animations.map(({ name, duration }) => `${quoted(name)} (${duration.toFixed(2)} s)`).join(', ') || 'none',
    ],
    ...extensions.used.map((name, i): [string, string] => [
      i === 0 ? 'extensions' : '',
      `${plain(name, 100)}: ${extensionState(name)}${extensions.required.includes(name) ? ', required' : ''}`,
    ]),
  ];
  if (extensions.used.length === 0) rows.push(['extensions', 'none']);
  const lines = rows.map(([name, value]) => `${name.padEnd(12)}${value}`);
  return `${[...lines, ...report.warnings.map((warning) => `warning     ${warning}`)].join('\n')}\n`;
}
