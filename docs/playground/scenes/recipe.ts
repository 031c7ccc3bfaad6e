// What surrounds the WGSL of a scene: its resources, and the steps of a frame. Data only, so that people who receive a
// changed shader by a link run nothing but WGSL.

/** Something at a binding of group 0. Binding 0 is the uniform `frame`. */
export type Resource =
  /** A buffer of zeros. */
  | { readonly kind: 'words'; readonly bytes: (width: number, height: number) => number }
  /** A picture of bricks with mip levels. */
  | { readonly kind: 'bricks' }
  | { readonly kind: 'sampler' }
  /** A multisampled texture of the picture's size, to load and store samples. */
  | { readonly kind: 'surface' };

/** How a step uses the resource at a binding. */
export type Use = 'read' | 'write';

interface Step {
  /** Uses by binding. */
  readonly uses?: Readonly<Record<number, Use>>;
}

interface ComputeStep extends Step {
  readonly compute: string;
  readonly workgroups: readonly [x: number, y: number];
}

/** A stage of a fragment shader with several. */
interface FragmentPart {
  readonly entryPoint: string;
  readonly rate: 'coarse' | 'pixel' | 'sample';
}

/** A draw call of a modular pipeline: one instance with some of the stages. */
interface ModularDraw {
  /** Slots of the stages that do not run. */
  readonly without: readonly number[];
}

export interface DrawStep extends Step {
  /** The vertex shader, or the vertex stages of a modular pipeline in their order. */
  readonly vertex: string | readonly string[];
  /** Several fragment shaders take turns from one instance to the next, with a draw call each. */
  readonly fragment: string | readonly string[];
  /** Fragment stages, in place of `fragment`. */
  readonly parts?: readonly FragmentPart[];
  readonly vertices: number;
  readonly instances?: number;
  readonly modularDraws?: readonly ModularDraw[];
  readonly topology?: GPUPrimitiveTopology;
  readonly depth?: boolean;
  readonly cull?: boolean;
  readonly blend?: 'add';
  /** Draws into the surface, in a pass without attachments. */
  readonly intoSurface?: boolean;
  /** The picture keeps its colours: the shader writes buffers. */
  readonly writesNothing?: boolean;
}

export interface Scene {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
  readonly group: 'scene' | 'template';
  /** A page of the documentation. */
  readonly guide: string;
  readonly code: string;
  /** Features of the device, beyond those that the playground always asks for. */
  readonly features: readonly string[];
  readonly background: readonly [r: number, g: number, b: number];
  readonly resources?: Readonly<Record<number, Resource>>;
  readonly compute?: readonly ComputeStep[];
  readonly draws: readonly DrawStep[];
  /** Coarse shading away from the pointer, by a texture of rates. */
  readonly isFoveated?: boolean;
}
