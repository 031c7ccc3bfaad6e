// GPUCanvasContext: https://www.w3.org/TR/webgpu/#canvas-context
//
// The textures of a canvas are textures as others are. When its frame has ended, one expires: programs may not use it
// any more, and its texels become a picture for the canvas, in queue order, when all that was submitted for it is
// drawn.

import { writePicture } from '../../surface/picture';
import { requireFormats } from '../format-support';
import { needArguments } from '../idl';
import { notDrawn, type CurrentPicture } from '../image-source';
import { constructing, expose, slot } from '../interface';
import { checkTexture, makeTexture, textureSlot, type TextureCore } from '../texture';
import { canvasConfiguration, canvasTexture, configurationObject, type CanvasConfiguration } from './configuration';
import { frames, MOST_FRAMES } from './frames';
import type { Picture, Surface } from './surface';

/** The texels of a canvas's texture. */
class TexturePicture implements Picture {
  readonly #texture: TextureCore;
  readonly colorSpace: PredefinedColorSpace;
  readonly opaque: boolean;
  #isOwner: boolean;

  /** @param isOwner the texture's memory goes with the picture */
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
    writePicture(device.render.texels(store), { format, opaque: this.opaque }, target);
  }
  release(): void {
    if (this.#isOwner) this.#texture.release();
    this.#isOwner = false;
  }
}

/** What a GPUCanvasContext does, in which all but `texture` follow the methods' names. */
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
  /** The current texture, and the object that programs have of it. */
  #texture: TextureCore | null = null;
  #object: object | null = null;
  /** Frames that have ended and are not shown. */
  #underWay = 0;
  /** The last texture's size. */
  #last: { readonly width: number; readonly height: number } | null = null;
  /** What has cleared the canvas, as long as no texture was asked for since. */
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
    const { core } = configuration.device, { width, height } = this.surface;
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
   * Expires the current texture, unseen: a side of the canvas was set, also to what it was, or the context configured.
   * Frames that were drawn before are still shown. Behind them the canvas shows nothing, unless the program has begun a
   * new frame: one that does so each time would show nothing most of the time.
   */
  replaceBuffer(): void {
    this.#discard();
    const clearing = this.#clearing = {};
    this.#configuration?.device.core.enqueue(() => {
      if (this.#clearing === clearing) this.surface.show(null);
    }, null);
  }

  /** A side was set some time in this task: the frame of the current texture may have begun behind that. */
  sideWasSet(): void {
    if (this.#texture === null) this.replaceBuffer();
    else this.surface.cleared();
  }

  /** The texture of this frame. */
  texture(): object {
    const configuration = this.#configuration;
    if (configuration === null)
      throw new DOMException(
        'getCurrentTexture: the canvas context is not configured; call configure({ device, format })',
        'InvalidStateError'
      );
    const { width, height } = this.surface, before = this.#texture?.descriptor;
    if (before !== undefined && (before.width !== width || before.height !== height)) this.#discard();
    const last = this.#last ?? { width, height };
    if (this.#clearing !== null || last.width !== width || last.height !== height) this.surface.cleared();
    this.#last = { width, height };
    if (this.#object === null) {
      const { core } = configuration.device;
      // A program that does not wait for its frames waits here.
      core.queue.workOffWhile(() => this.#underWay >= MOST_FRAMES);
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

  /** Expires the current texture, if there is one, and shows it when it is drawn. */
  endFrame(): void {
    const configuration = this.#configuration, texture = this.#take();
    if (texture === null || configuration === null) return;
    const ended = (): void => frames.ended(--this.#underWay);
    frames.began(++this.#underWay);
    texture.device.push({
      settles: true,
      step: () => {
        ended();
        this.surface.show(new TexturePicture(texture, configuration, true));
        return true;
      },
      dropped: ended,
    });
  }

  /**
   * Calls `read` in queue order, when what has been submitted until now is drawn: with the picture of the current
   * texture, or null where the surface shows what there is.
   */
  whenDrawn(read: (picture: Picture | null) => void): void {
    const configuration = this.#configuration, picture = this.current?.picture ?? null;
    if (configuration === null) read(null);
    else
      configuration.device.core.push({
        settles: true, step: () => (read(picture), true), dropped: () => read(null),
      });
  }

  /** Shows what is drawn by what has been submitted, in the call; the frame goes on. */
  showNow(call: string): void {
    this.workOff(call);
    const picture = this.current?.picture;
    if (picture !== undefined) this.surface.show(picture);
  }

  /** Expires the current texture, and shows it, in the call. */
  endFrameNow(call: string): void {
    // What cannot be shown goes on.
    this.workOff(call);
    this.endFrame();
    this.workOff(call);
  }

  /** Has all that was submitted drawn, in the call; throws where that cannot be, and the picture depends on it. */
  workOff(call: string): void {
    const isDone = this.#configuration?.device.core.queue.workOff() ?? true;
    if (!isDone && (this.#texture !== null || this.#underWay > 0)) throw notDrawn(call);
  }

  /** What is drawn into the current texture by what has been submitted; null where there is none. */
  get current(): CurrentPicture | null {
    const texture = this.#texture;
    if (texture === null || texture.destroyed || this.#configuration === null) return null;
    return { queue: texture.device.queue, picture: new TexturePicture(texture, this.#configuration, false) };
  }

  #discard(): void {
    const texture = this.#take();
    if (texture !== null) texture.device.enqueue(() => texture.release(), null);
  }

  /** The current texture, expired; null when there is none, or a program has destroyed it. */
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
export class GPUCanvasContext {
  constructor(...args: unknown[]) {
    constructing(args);
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

/** The object that programs have of a context. */
export const contextObject = (core: ContextCore): object => canvasContextSlot.make(core);
