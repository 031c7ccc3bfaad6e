// GPUCanvasContext: https://www.w3.org/TR/webgpu/#canvas-context
//
// The textures of a canvas are ordinary textures. When a frame ends, its texture expires: the application must not use
// it any more. In queue order, after all work submitted for it, its texels become the picture of the canvas.

import { requireFormats } from '../resources/format-support';
import { needArguments } from '../idl/idl';
import { notDrawn, type CurrentPicture } from '../core/image-source';
import { rejectConstruction, expose, slot } from '../idl/interface';
import { checkTexture } from '../resources/texture-descriptor';
import { makeTexture, textureSlot, type TextureCore } from '../resources/texture';
import { canvasConfiguration, canvasTexture, configurationObject, type CanvasConfiguration } from './configuration';
import { frames, MAX_FRAMES } from './frames';
import type { Picture, Surface } from './surface';

/** A picture made of the texels of a canvas texture. */
class TexturePicture implements Picture {
  readonly #texture: TextureCore;
  readonly colorSpace: PredefinedColorSpace;
  readonly opaque: boolean;
  #isOwner: boolean;

  /** @param isOwner whether releasing the picture frees the texture's memory */
  constructor(texture: TextureCore, { colorSpace, alphaMode }: CanvasConfiguration, isOwner: boolean) {
    this.#texture = texture;
    this.colorSpace = colorSpace;
    this.opaque = alphaMode === 'opaque';
    this.#isOwner = isOwner;
  }
  get width(): number {
    return this.#texture.descriptor.width;
  }
  get height(): number {
    return this.#texture.descriptor.height;
  }
  read(target: Uint8ClampedArray): void {
    const { device, store, format } = this.#texture;
    device.engine.writePicture(device.render.texels(store), { format, opaque: this.opaque }, target);
  }
  release(): void {
    if (this.#isOwner) this.#texture.release();
    this.#isOwner = false;
  }
}

/**
 * Implementation of a GPUCanvasContext. `texture` implements getCurrentTexture(); the other members have the methods'
 * names.
 */
export interface ContextCore {
  readonly canvas: object;
  readonly configuration: object | null;
  configure(value: unknown): void;
  unconfigure(): void;
  texture(): object;
}

export class CanvasContextCore implements ContextCore {
  readonly surface: Surface;
  #configuration: CanvasConfiguration | null = null;
  /** The current texture, and the GPUTexture object that the application has for it. */
  #texture: TextureCore | null = null;
  #object: object | null = null;
  /** Number of frames that have ended but are not shown yet. */
  #underWay = 0;
  /** Size of the last texture. */
  #last: { readonly width: number; readonly height: number } | null = null;
  /** Identifies the operation that cleared the canvas, until a texture is requested. */
  #clearing: object | null = null;

  constructor(surface: Surface) {
    this.surface = surface;
  }

  get canvas(): object {
    return this.surface.canvas;
  }
  get configuration(): object | null {
    return this.#configuration && configurationObject(this.#configuration);
  }

  configure(value: unknown): void {
    const configuration = canvasConfiguration(value, 'configure: configuration');
    const { core } = configuration.device;
    const { width, height } = this.surface;
    requireFormats(core, 'configure', ...configuration.viewFormats);
    this.replaceBuffer();
    this.#configuration = configuration;
    core.guard(() => checkTexture(core, canvasTexture(configuration, width, height)));
  }

  unconfigure(): void {
    this.replaceBuffer();
    this.#configuration = null;
  }

  /**
   * Expires the current texture without showing it. This happens when the canvas's width or height is set, even to its
   * current value, or when the context is configured. Frames that ended before are still shown. After them the canvas
   * shows nothing, unless the application has begun a new frame. Otherwise an application that sets the size for every
   * frame would show nothing most of the time.
   */
  replaceBuffer(): void {
    this.#discard();
    const clearing = (this.#clearing = {});
    this.#configuration?.device.core.enqueue(() => {
      if (this.#clearing === clearing) this.surface.show(null);
    }, null);
  }

  /**
   * The width or height was set at an unknown time in this task; the current texture's frame may have begun after that.
   */
  canvasSizeSet(): void {
    if (this.#texture === null) this.replaceBuffer();
    else this.surface.cleared();
  }

  /** Returns the GPUTexture of the current frame. */
  texture(): object {
    const configuration = this.#configuration;
    if (configuration === null)
      throw new DOMException(
        'getCurrentTexture: the canvas context is not configured; call configure({ device, format })',
        'InvalidStateError'
      );
    const { width, height } = this.surface;
    const before = this.#texture?.descriptor;
    if (before !== undefined && (before.width !== width || before.height !== height)) this.#discard();
    const last = this.#last ?? { width, height };
    if (this.#clearing !== null || last.width !== width || last.height !== height) this.surface.cleared();
    this.#last = { width, height };
    if (this.#object === null) {
      const { core } = configuration.device;
      // An application that does not wait for its frames is blocked here.
      core.queue.drainWhile(() => this.#underWay >= MAX_FRAMES);
      const texture = makeTexture(core, canvasTexture(configuration, width, height), true);
      this.#object = textureSlot.make(texture);
      if (texture.valid) {
        this.#texture = texture;
        this.#clearing = null;
      }
      this.surface.frameBegan(() => this.endFrame());
    }
    return this.#object;
  }

  /** Expires the current texture, if any, and shows it when all its work has finished. */
  endFrame(): void {
    const configuration = this.#configuration;
    const texture = this.#take();
    if (texture === null || configuration === null) return;
    const ended = (): void => frames.ended(--this.#underWay);
    frames.began(++this.#underWay);
    texture.device.push({
      settles: true,
      leavesBuffers: true,
      step: () => {
        ended();
        this.surface.show(new TexturePicture(texture, configuration, true));
        return true;
      },
      dropped: ended,
    });
  }

  /**
   * Calls `read` in queue order, after the work that has been submitted so far. `read` gets the picture of the current
   * texture, or null if the surface already shows the latest picture.
   */
  whenDrawn(read: (picture: Picture | null) => void): void {
    const configuration = this.#configuration;
    const picture = this.current?.picture ?? null;
    if (configuration === null) read(null);
    else
      configuration.device.core.push({
        settles: true,
        leavesBuffers: true,
        step: () => (read(picture), true),
        dropped: () => read(null),
      });
  }

  /** Synchronously shows the result of the submitted work. The frame does not end. */
  showNow(call: string): void {
    this.drain(call);
    const picture = this.current?.picture;
    if (picture !== undefined) this.surface.show(picture);
  }

  /** Synchronously expires the current texture and shows it. */
  endFrameNow(call: string): void {
    // Work that cannot be finished now continues later.
    this.drain(call);
    this.endFrame();
    this.drain(call);
  }

  /** Synchronously finishes all submitted work. Throws if that is impossible and the picture depends on it. */
  drain(call: string): void {
    const isDone = this.#configuration?.device.core.queue.drain() ?? true;
    if (!isDone && (this.#texture !== null || this.#underWay > 0)) throw notDrawn(call);
  }

  /** The picture of the current texture, with the queue that draws it; null if there is no current texture. */
  get current(): CurrentPicture | null {
    const texture = this.#texture;
    if (texture === null || texture.destroyed || this.#configuration === null) return null;
    return { queue: texture.device.queue, picture: new TexturePicture(texture, this.#configuration, false) };
  }

  #discard(): void {
    const texture = this.#take();
    if (texture !== null) texture.device.enqueue(() => texture.release(), null);
  }

  /** Expires and returns the current texture; null if there is none, or if the application has destroyed it. */
  #take(): TextureCore | null {
    const texture = this.#texture;
    this.#object = this.#texture = null;
    if (texture === null || texture.destroyed) return null;
    texture.destroyed = true;
    texture.fate = 'has expired with its frame: call getCurrentTexture() for each frame';
    return texture;
  }
}

const canvasContextSlot = slot<ContextCore>('GPUCanvasContext');
class GPUCanvasContext {
  constructor(...args: unknown[]) {
    rejectConstruction(args);
  }
  get canvas(): object {
    return canvasContextSlot.of(this).canvas;
  }
  configure(...args: unknown[]): undefined {
    const core = canvasContextSlot.of(this);
    needArguments('configure', args.length, 1);
    core.configure(args[0]);
  }
  unconfigure(): undefined {
    canvasContextSlot.of(this).unconfigure();
  }
  getConfiguration(): object | null {
    return canvasContextSlot.of(this).configuration;
  }
  getCurrentTexture(): object {
    return canvasContextSlot.of(this).texture();
  }
}
expose('GPUCanvasContext', GPUCanvasContext, canvasContextSlot);

/** Makes the GPUCanvasContext object that applications get. */
export const contextObject = (core: ContextCore): object => canvasContextSlot.make(core);
