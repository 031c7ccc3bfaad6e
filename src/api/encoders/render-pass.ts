// GPURenderPassEncoder: https://www.w3.org/TR/webgpu/#render-passes

import type { DrawRun, DynamicState, PassState, SampleOrder, SampleType, Viewport } from '../../render/types';
import type { ShadingRateCombiners } from '../../shading-rate';
import type { Attachments, RenderPassDescriptor } from './attachments';
import { bundleSlot, type BundleCore } from './bundle';
import type { Command, Uses } from './command-buffer';
import { Refusal, requireUsable, type Fail } from '../core/device-core';
import { checkBundleFits } from './draw-checks';
import { sampleOrder, sampleType } from '../idl/enums';
import type { RenderLayout } from './render-layout';
import { addDrawMethods } from './draw-methods';
import { DrawRecorder } from './draw-recorder';
import type { CommandEncoderCore } from './encoder-core';
import {
  color,
  dictionary,
  float,
  needArguments,
  object,
  optional,
  required,
  sequence,
  text,
  u32,
  type Color,
} from '../idl/idl';
import { rejectConstruction, exposeLabelled, slot } from '../idl/interface';
import { MAX_VIEWPORTS } from '../core/limits';
import { orderRefusal, requireProcessingOrder } from '../extensions/processing-order';
import { QUERY_BYTES, type QuerySetCore } from '../resources/query-set';
import { checkRate, rateCombiners, requireShadingRate } from '../extensions/shading-rates';
import { stamp, type TimestampWrites } from './timestamps';
import { UsageScope } from './usage-scope';

export class RenderPassCore extends DrawRecorder {
  readonly encoder: CommandEncoderCore;
  readonly #maxDraws: number;
  #attachments: Attachments | null = null;
  #scope = new UsageScope([]);
  #ended = false;
  #failed = false;
  readonly #runs: DrawRun[] = [];
  /** Number of the list's draw calls in `#runs`. The others form the next run, which ends with the dynamic state. */
  #inRuns = 0;
  #drawCount = 0;
  #dynamic: DynamicState = {
    viewports: [[0, 0, 0, 0, 0, 1]],
    scissor: [0, 0, 0, 0],
    blendConstant: [0, 0, 0, 0],
    stencilReference: 0,
    query: null,
    orders: { pixel: 'received', vertex: 'received', primitive: 'received' },
    rate: '1x1',
    combiners: { primitive: 'coarsest', region: 'coarsest', depth: 'coarsest' },
  };
  readonly #querySet: QuerySetCore | null;
  readonly #timestamps: TimestampWrites | null;
  /** Indices of the queries that were begun. */
  readonly #queries = new Set<number>();

  constructor(encoder: CommandEncoderCore, d: RenderPassDescriptor) {
    super(encoder.device, 'RenderPassEncoder', d.label, true);
    this.encoder = encoder;
    this.#maxDraws = d.maxDrawCount;
    this.#querySet = d.occlusionQuerySet;
    this.#timestamps = d.timestampWrites;
  }

  begin(attachments: Attachments): void {
    const { region } = attachments;
    this.#scope = new UsageScope(attachments.held);
    const conflict = region && this.#scope.addSampled(region, () => `${region.called} in shadingRates.region`);
    if (conflict !== null) this.no('beginRenderPass', conflict);
    this.#attachments = attachments;
    const { width, height } = attachments.target;
    this.#set({ viewports: [[0, 0, width, height, 0, 1]], scissor: [0, 0, width, height] });
    for (const { view } of attachments.held) {
      this.uses.textures.add(view.texture);
      this.uses.others.add(view);
    }
    if (region !== null) {
      this.uses.textures.add(region.texture);
      this.uses.others.add(region);
    }
    for (const set of [this.#querySet, this.#timestamps?.querySet]) if (set) this.uses.querySets.add(set);
  }

  protected begins(call: string): boolean {
    if (this.#ended) this.device.report('validation', `${this.called} ${call}: the pass has ended; begin a new one`);
    return !this.#ended && this.#attachments !== null && !this.#failed;
  }

  protected refused(error: unknown): void {
    if (!(error instanceof Refusal)) throw error;
    this.#failed = true;
    this.encoder.fail(error.message);
  }

  protected get layout(): RenderLayout {
    return this.#attachments!.layout;
  }
  protected get scope(): UsageScope {
    return this.#scope;
  }
  protected get uses(): Uses {
    return this.encoder.uses;
  }

  #set(changed: Partial<DynamicState>): void {
    this.#endRun();
    this.#dynamic = { ...this.#dynamic, ...changed };
  }

  /** Ends the run of draw calls with the current dynamic state. */
  #endRun(): void {
    const { list } = this;
    const begin = this.#inRuns;
    const end = (this.#inRuns = list.length);
    if (end > begin) this.#runs.push({ dynamic: this.#dynamic, list, begin, end });
  }

  setViewport(viewport: Viewport): void {
    const call = 'setViewport';
    this.encode(call, () => {
      this.#checkViewport(viewport, (message) => this.no(call, message));
      this.#set({ viewports: [viewport] });
    });
  }
  setViewports(viewports: readonly Viewport[]): void {
    const call = 'setViewports';
    this.encode(call, () => {
      if (viewports.length < 1 || viewports.length > MAX_VIEWPORTS)
        this.no(call, `there must be 1 to ${MAX_VIEWPORTS} viewports, not ${viewports.length}`);
      viewports.forEach((viewport, i) =>
        this.#checkViewport(viewport, (message) => this.no(call, `viewports[${i}]: ${message}`))
      );
      this.#set({ viewports });
    });
  }
  #checkViewport([x, y, width, height, minDepth, maxDepth]: Viewport, no: Fail): void {
    const max = this.device.limits.maxTextureDimension2D;
    if (width < 0 || height < 0 || width > max || height > max)
      no(`size ${width}×${height} must be from 0 to maxTextureDimension2D ${max}`);
    if (x < -2 * max || y < -2 * max || x + width > 2 * max - 1 || y + height > 2 * max - 1)
      no(`${x}, ${y} with size ${width}×${height} is outside ${-2 * max}…${2 * max - 1}`);
    if (!(minDepth >= 0 && minDepth <= 1 && maxDepth >= 0 && maxDepth <= 1))
      no(`minDepth ${minDepth} and maxDepth ${maxDepth} must be from 0 to 1`);
    if (minDepth > maxDepth) no(`minDepth ${minDepth} is greater than maxDepth ${maxDepth}`);
  }
  setScissorRect(x: number, y: number, width: number, height: number): void {
    this.encode('setScissorRect', () => {
      const { target } = this.#attachments!;
      if (x + width > target.width || y + height > target.height)
        this.no(
          'setScissorRect',
          `${x}, ${y} with size ${width}×${height} exceeds the attachments' ${target.width}×${target.height}`
        );
      this.#set({ scissor: [x, y, width, height] });
    });
  }
  setBlendConstant(blendConstant: Color): void {
    this.encode('setBlendConstant', () => this.#set({ blendConstant }));
  }
  setStencilReference(stencilReference: number): void {
    this.encode('setStencilReference', () => this.#set({ stencilReference }));
  }

  setShadingRate(rate: string, combiners: ShadingRateCombiners): void {
    const call = 'setShadingRate';
    const no = (message: string): never => this.no(call, message);
    this.encode(call, () => {
      requireShadingRate(this.device, 'it', no);
      this.#set({ rate: checkRate(rate, 'rate', no), combiners });
    });
  }

  setProcessingOrder(type: SampleType, order: SampleOrder): void {
    const call = 'setProcessingOrder';
    const no = (message: string): never => this.no(call, message);
    this.encode(call, () => {
      requireProcessingOrder(this.device, 'it', no);
      const { orders } = this.#dynamic;
      if (order !== orders[type]) this.#set({ orders: { ...orders, [type]: order } });
    });
  }

  /** Requires one depth table for all viewports, or one for each. */
  #checkDepthTables(call: string): void {
    const tables = this.#attachments?.target.rates?.depth.length ?? 0;
    const { length } = this.#dynamic.viewports;
    if (tables > 1 && tables !== length)
      this.no(
        call,
        `the pass has ${tables} depth tables of shading rates and ${length} viewport(s); use one table, `
          + 'or one for each viewport of setViewports()'
      );
  }

  protected onDraw(call: string): void {
    this.#drawCount++;
    this.#checkDepthTables(call);
  }

  executeBundles(bundles: readonly BundleCore[]): void {
    const call = 'executeBundles';
    this.encode(call, () => {
      const { layout } = this;
      const no = (message: string): never => this.no(call, message);
      this.#checkDepthTables(call);
      this.#endRun();
      for (const bundle of bundles) {
        requireUsable(bundle, this, this.device, call);
        checkBundleFits(bundle.called, bundle.recorded.layout, layout, no);
        const conflict = this.#scope.addScope(bundle.recorded.scope);
        if (conflict !== null) no(conflict);
        this.sinkRegions.claimAll(bundle.recorded.sinkRegions, no);
        this.uses.add(bundle.recorded.uses);
        this.uses.others.add(bundle);
        this.#drawCount += bundle.recorded.drawCount;
        const { list } = bundle.recorded;
        if (list.length > 0) this.#runs.push({ dynamic: this.#dynamic, list, begin: 0, end: list.length });
      }
      this.forget();
    });
  }

  beginQuery(index: number): void {
    const call = 'beginOcclusionQuery';
    const set = this.#querySet;
    this.encode(call, () => {
      const no = (message: string): never => this.no(call, message);
      if (set === null) return no('the pass has no occlusionQuerySet');
      if (index >= set.count) no(`query ${index} does not exist: ${set.called} has ${set.count} queries`);
      if (this.#dynamic.query !== null) no('an occlusion query is open; call endOcclusionQuery() first');
      if (this.#queries.has(index)) no(`query ${index} was already used in this pass`);
      this.#queries.add(index);
      this.#set({ query: set.at(index) });
    });
  }
  endQuery(): void {
    this.encode('endOcclusionQuery', () => {
      if (this.#dynamic.query === null) this.no('endOcclusionQuery', 'no occlusion query is open');
      this.#set({ query: null });
    });
  }

  end(): void {
    this.encode('end', () => {
      const { target } = this.#attachments!;
      if (this.#dynamic.query !== null) this.no('end', 'an occlusion query is open; call endOcclusionQuery()');
      if (this.debugGroups.open > 0)
        this.no('end', `${this.debugGroups.open} debug group(s) are open; call popDebugGroup()`);
      if (this.#drawCount > this.#maxDraws)
        this.no('end', `${this.#drawCount} draws exceed maxDrawCount ${this.#maxDraws}`);
      this.#endRun();
      const state = { ...target, runs: this.#runs, ownDraws: this.list };
      const unordered = orderRefusal(this.#runs);
      if (unordered !== null) this.no('end', unordered);
      if (!this.encoder.failed) this.encoder.commands.push(...this.#commandsOf(state));
    });
    if (this.#ended) return;
    this.#ended = true;
    this.encoder.endPass(this);
  }

  /** Returns the commands of the pass: timestamps, query resets and the pass itself. */
  #commandsOf(state: PassState): Command[] {
    const times = this.#timestamps;
    const set = this.#querySet;
    const resets = [...this.#queries].map((index): Command => {
      const { buffer, offset } = set!.at(index);
      return (render) => (render.clearBuffer(buffer, offset, QUERY_BYTES), null);
    });
    return [
      ...(times ? stamp(times, times.beginningOfPassWriteIndex) : []),
      ...resets,
      (render) => render.renderPass(state),
      ...(times ? stamp(times, times.endOfPassWriteIndex) : []),
    ];
  }
}

export const renderPassSlot = slot<RenderPassCore>('GPURenderPassEncoder');

const bundles = sequence(object(bundleSlot));

const viewportList = sequence(
  dictionary('Viewport', {
    x: required(float),
    y: required(float),
    width: required(float),
    height: required(float),
    minDepth: optional(float, 0),
    maxDepth: optional(float, 1),
  })
);

class GPURenderPassEncoder {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  setViewport(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setViewport', args.length, 6);
    const [x, y, width, height, near, far] = ['x', 'y', 'width', 'height', 'minDepth', 'maxDepth'].map((name, i) =>
      float(args[i], `setViewport: ${name}`)
    );
    core.setViewport([x!, y!, width!, height!, near!, far!]);
  }
  setScissorRect(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setScissorRect', args.length, 4);
    const [x, y, width, height] = ['x', 'y', 'width', 'height'].map((name, i) =>
      u32(args[i], `setScissorRect: ${name}`)
    );
    core.setScissorRect(x!, y!, width!, height!);
  }
  setBlendConstant(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setBlendConstant', args.length, 1);
    core.setBlendConstant(color(args[0], 'setBlendConstant: color'));
  }
  setStencilReference(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setStencilReference', args.length, 1);
    core.setStencilReference(u32(args[0], 'setStencilReference: reference'));
  }
  beginOcclusionQuery(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('beginOcclusionQuery', args.length, 1);
    core.beginQuery(u32(args[0], 'beginOcclusionQuery: queryIndex'));
  }
  endOcclusionQuery(): undefined {
    renderPassSlot.of(this).endQuery();
  }
  executeBundles(...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('executeBundles', args.length, 1);
    core.executeBundles(bundles(args[0], 'executeBundles: bundles'));
  }
  end(): undefined {
    renderPassSlot.of(this).end();
  }
}
addDrawMethods(GPURenderPassEncoder.prototype, (self) => renderPassSlot.of(self));
// Rasterloom's extension for modular pipelines.
Object.defineProperty(GPURenderPassEncoder.prototype, 'setViewports', {
  writable: true,
  configurable: true,
  value: function setViewports(this: unknown, ...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setViewports', args.length, 1);
    core.setViewports(
      viewportList(args[0], 'setViewports: viewports').map(({ x, y, width, height, minDepth, maxDepth }): Viewport => [
        x,
        y,
        width,
        height,
        minDepth,
        maxDepth,
      ])
    );
  },
});
// Rasterloom's extension for shading rates.
Object.defineProperty(GPURenderPassEncoder.prototype, 'setShadingRate', {
  writable: true,
  configurable: true,
  value: function setShadingRate(this: unknown, ...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setShadingRate', args.length, 1);
    core.setShadingRate(text(args[0], 'setShadingRate: rate'), rateCombiners(args[1], 'setShadingRate: combiners'));
  },
});
// Rasterloom's extension for out-of-order processing.
Object.defineProperty(GPURenderPassEncoder.prototype, 'setProcessingOrder', {
  writable: true,
  configurable: true,
  value: function setProcessingOrder(this: unknown, ...args: unknown[]): undefined {
    const core = renderPassSlot.of(this);
    needArguments('setProcessingOrder', args.length, 2);
    core.setProcessingOrder(
      sampleType(args[0], 'setProcessingOrder: type'),
      sampleOrder(args[1], 'setProcessingOrder: order')
    );
  },
});
exposeLabelled('GPURenderPassEncoder', GPURenderPassEncoder, renderPassSlot);
