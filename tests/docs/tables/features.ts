// The tables of docs/features about options, against the types of the options and the defaults of their converters.
import { expect } from 'vitest';
import {
  MAX_PAGE_SHIFT,
  MAX_STREAM_TEXELS,
  MIN_PAGE_SHIFT,
} from '../../../assembly/layout/texture/texture-stream-codes';
import { supportedExtensions } from '../../../src/api/core/limits';
import { passShadingRates } from '../../../src/api/extensions/shading-rates';
import { MAX_FRAMES } from '../../../src/api/canvas/frames';
import { textureStream } from '../../../src/api/resources/texture-streams';
import {
  blendFunction,
  blendModes,
  compositeOperators,
  fromBlendState,
  kBuffer,
  nonSeparableBlendModes,
  separableBlendModes,
} from '../../../src/blends';
import { createCanvas } from '../../../src/index';
import { defaultRenderOptions } from '../../../src/render';
import { MAX_BYTES, MAX_SUBMITS } from '../../../src/schedule/queue';
import { codeOf, rateFallbacks, shadingRateCombiners, shadingRates } from '../../../src/shading-rate';
import { apiDevice } from '../../api/fake';
import {
  amountIn,
  amountsIn,
  checksOf,
  codesIn,
  expectNames,
  expectValues,
  namesIn,
  rowOf,
  shown,
  type Table,
} from '../tables';
import { membersOf, valuesOf } from '../members';

/** A table has the members of a type. */
const ofType =
  (...type: readonly string[]) =>
  (table: Table): void =>
    expectNames(table, membersOf(...type));
/** A table has the values of a type, and marks the default. */
const ofValues =
  (fallback: string | null, ...type: readonly string[]) =>
  (table: Table): void => {
    expectNames(table, valuesOf(...type));
    const marked = table.rows.filter(([first]) => first!.includes('(default)'));
    expect(marked.flatMap(([first]) => codesIn(first!))).toEqual(fallback === null ? [] : [`'${fallback}'`]);
  };

const blends = checksOf('docs/features/blend-library.md');
const state = { color: { srcFactor: 'constant', dstFactor: 'one' }, alpha: {} } as const;

function blendOptions(table: Table): void {
  expectNames(table, membersOf('BlendFunctionOptions'));
  const defaults = Object.fromEntries(
    table.rows.map((row) => [namesIn({ ...table, rows: [row] })[0], codesIn(row[2]!)[0]!.slice(1, -1)])
  );
  expect(blendFunction(defaults)).toBe(blendFunction());
}

function blendNames(table: Table): void {
  const lists = { separableBlendModes, nonSeparableBlendModes, blendModes, compositeOperators };
  expectNames(table, Object.keys(lists));
  for (const name of ['separableBlendModes', 'nonSeparableBlendModes', 'compositeOperators'] as const)
    expect(codesIn(rowOf(table, name)[1]!)).toEqual(lists[name]);
  expect(blendModes).toEqual([...separableBlendModes, ...nonSeparableBlendModes]);
}

function blendStates(table: Table): void {
  expectNames(table, membersOf('BlendStateOptions'));
  expect(rowOf(table, 'constant')[2]).toBe('zeros');
  expect(codesIn(rowOf(table, 'clamp')[2]!)).toEqual(['false']);
  const name = codesIn(rowOf(table, 'name')[2]!)[0]!.slice(1, -1);
  expect(fromBlendState(state, { constant: [0, 0, 0, 0], clamp: false, name })).toBe(fromBlendState(state));
}

function kBufferOptions(table: Table): void {
  expectNames(table, membersOf('KBufferOptions'));
  const layers = valuesOf('KBufferOptions', 'layers').map(Number);
  expect(amountsIn(rowOf(table, 'layers')[1]!)).toEqual([Math.min(...layers), Math.max(...layers)]);
  const texts = ['color', 'depth', 'name'].map((name) => [name, codesIn(rowOf(table, name)[2]!)[0]!.slice(1, -1)]);
  const defaults = { ...Object.fromEntries(texts), firstTarget: amountIn(rowOf(table, 'firstTarget')[2]!) } as object;
  expect(kBuffer({ layers: 4, ...defaults })).toEqual(kBuffer({ layers: 4 }));
  for (const name of ['color', 'depth'] as const)
    expectValues(rowOf(table, name)[1]!, valuesOf('KBufferOptions', name));
}

function kBufferDeclarations(table: Table): void {
  const { wgsl } = kBuffer({ layers: 2, name: 'NAME' });
  for (const [declaration] of table.rows)
    // Parameters whose types the page leaves out have that of the stored layers.
    expect(wgsl).toContain(
      codesIn(declaration!)[0]!.replaceAll('<name>', 'NAME').replace('(held,', '(held: NAME_Held,')
    );
}

const canvases = checksOf('docs/features/canvas-and-backpressure.md');

function canvasMembers(table: Table): void {
  const own = membersOf('Canvas').filter(
    (name) => !['addEventListener', 'removeEventListener', 'dispatchEvent'].includes(name)
  );
  expect([...new Set(namesIn(table))].sort()).toEqual([...own].sort());
  for (const code of codesIn(table.rows.map(([first]) => first).join(' ')).filter((each) =>
    each.startsWith('getContext')
  ))
    expect(createCanvas(1, 1).getContext(/'(.*)'/.exec(code)![1]!)).not.toBeNull();
}

function backpressure(table: Table): void {
  const queue = table.rows.find(([bound]) => bound!.includes('MiB'))!;
  expect(amountsIn(queue[0]!)).toEqual([MAX_SUBMITS, MAX_BYTES]);
  expect(MAX_FRAMES).toBe(2);
  expect(table.rows.map(([bound]) => bound).filter((bound) => bound!.startsWith('Two frames'))).toHaveLength(2);
}

const multisampled = checksOf('docs/features/compressed-multisampled-surfaces.md');

function multisampledFeatures(table: Table): void {
  for (const name of namesIn(table)) expect(supportedExtensions).toContain(name);
}

const stages = checksOf('docs/features/fragment-stages.md');
const rates = checksOf('docs/features/shading-rate.md');

function rateCodes({ head, rows }: Table): void {
  expect(head.slice(1)).toEqual(shadingRates);
  expect(rows).toEqual([['code', ...shadingRates.map((rate) => String(codeOf(rate)))]]);
}

function depthRates(table: Table): void {
  expectNames(table, membersOf('DepthShadingRates'));
  const { rounding, at } = passShadingRates({ depth: { near: 0, far: 1, rates: [] } }, 'shadingRates').depth![0]!;
  expect(rowOf(table, 'rounding')[2]).toBe(shown(rounding));
  expect(rowOf(table, 'at')[2]).toBe(shown(at));
}

async function regionRates(table: Table): Promise<void> {
  expectNames(table, membersOf('RegionShadingRates'));
  expect(amountsIn(rowOf(table, 'blockSize')[1]!).map(String)).toEqual(valuesOf('RegionShadingRates', 'blockSize'));
  const { device } = await apiDevice();
  const view = device.createTexture({ size: [1, 1], format: 'r8uint', usage: 4 });
  const { blockSize } = passShadingRates({ region: { view } }, 'shadingRates').region!;
  expect(amountIn(rowOf(table, 'blockSize')[2]!)).toBe(blockSize);
}

const streams = checksOf('docs/features/streamed-textures.md');

function streamMembers(table: Table): void {
  expectNames(table, membersOf('TextureStream'));
  const defaults = textureStream({ loadPage: () => new Uint8Array(0) }, 'stream');
  const cells = (name: string): readonly string[] => rowOf(table, name);
  for (const name of ['pageSize', 'maxConcurrentLoads', 'budget'] as const)
    expect(amountIn(cells(name)[2]!), name).toBe(defaults[name]);
  expect(cells('late')[2]).toBe(shown(defaults.late));
  for (const name of ['onMissing', 'fallback', 'timeoutMs'] as const) expect(defaults[name]).toBeUndefined();
  expect(cells('onMissing')[2]).toBe('none');
  expect(amountsIn(cells('pageSize')[1]!)).toEqual([1 << MIN_PAGE_SHIFT, 1 << MAX_PAGE_SHIFT]);
  expectValues(cells('late')[1]!, valuesOf('TextureStream', 'late'));
}

const streamProperties = (table: Table): void => expect(amountIn(rowOf(table, 'size')[1]!)).toBe(MAX_STREAM_TEXELS);

const order = checksOf('docs/features/order-independent-draws.md');

export const FEATURE_CHECKS = [
  blends('Blend modes and operators', 'option', blendOptions),
  blends('Blend modes and operators', 'export', blendNames),
  blends('Blend states', 'option', blendStates),
  blends('Options', 'option', kBufferOptions),
  blends('Result', 'member', ofType('KBuffer')),
  blends('Result', 'declaration', kBufferDeclarations),
  canvases('Canvases in Node', 'member', canvasMembers),
  canvases('Backpressure', 'bound', backpressure),
  multisampled('Features', 'feature', multisampledFeatures),
  multisampled('`createTexture` members', 'member', ofType('MultisampleTextureMembers')),
  stages('`fragment.stages`', 'member', ofType('FragmentStage')),
  stages('`fragment.stages`', 'rate', ofValues(null, 'FragmentStage', 'rate')),
  checksOf('docs/features/framebuffer-fetch.md')(
    '`fragment.interlock`',
    'value',
    ofValues('ordered', 'FragmentStagesMembers', 'interlock')
  ),
  rates('Rates', 'rate', rateCodes),
  rates('Sources', 'source', ({ rows }) =>
    expect(rows.map(([first]) => first)).toEqual(['draw call', ...membersOf('ShadingRateCombiners')])
  ),
  rates('`pass.setShadingRate(rate, combiners)`', 'combiner', (table) => expectNames(table, shadingRateCombiners)),
  rates('`shadingRates.depth`', 'member', depthRates),
  rates('`shadingRates.depth`', '`rounding`', ofValues(null, 'DepthShadingRates', 'rounding')),
  rates('`shadingRates.depth`', '`at`', ofValues(null, 'DepthShadingRates', 'at')),
  rates('`shadingRates.region`', 'member', regionRates),
  rates('Rates from the frame before', 'option', (table) => expectNames(table, membersOf('RateImageOptions'))),
  rates('Shaders that run at 1x1', 'cause', (table) => expectNames(table, rateFallbacks)),
  streams('The option `stream` of `createTexture`', 'member', streamMembers),
  streams('Which textures', 'property', streamProperties),
  order('`pass.setProcessingOrder(type, order)`', '`type`', ofValues(null, 'SampleType')),
  order('`pass.setProcessingOrder(type, order)`', '`order`', ofValues(null, 'SampleOrder')),
  order('`processingOrder` of pipelines', 'value', ofValues('auto', 'ProcessingOrder')),
  checksOf('docs/features/tile-sharing.md')(
    'Reference',
    '`distribution`',
    ofValues(defaultRenderOptions.distribution, 'CreateOptions', 'distribution')
  ),
];
