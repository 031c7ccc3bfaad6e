// What the page and its workers tell each other, and the state of the playground.
import type { ShadingRate } from 'rasterloom';

export const RATES = ['1x1', '1x2', '2x1', '2x2', '2x4', '4x2', '4x4'] as const satisfies readonly ShadingRate[];
export const SAMPLES = [1, 2, 4, 8, 16] as const;
export const WIDTHS = [320, 480, 640, 960, 1280] as const;
/** Overlays of scenes; models have passes in their place, of which `tiles` is an overlay, too. */
export const OVERLAYS = ['none', 'overdraw', 'rates', 'encoding', 'tiles'] as const;
export const PASSES = ['color', 'albedo', 'normal', 'depth', 'object', 'ao', 'tiles'] as const;

export interface Settings {
  readonly engine: 'compiled' | 'interpreted';
  readonly kernel: 'simd' | 'scalar';
  /** Worker threads; 0: the thread of the renderer. */
  readonly threads: number;
  readonly samples: (typeof SAMPLES)[number];
  readonly rate: (typeof RATES)[number];
  readonly order: 'received' | 'independent';
  /** Width of the picture; its shape is 16 to 9. */
  readonly width: (typeof WIDTHS)[number];
  readonly overlay: (typeof OVERLAYS)[number];
  readonly pass: (typeof PASSES)[number];
}

export const heightOf = (width: number): number => (width * 9) / 16;

/** What is shown. */
export type Subject =
  | { readonly kind: 'scene'; readonly id: string; readonly code: string }
  | { readonly kind: 'model'; readonly name: string; readonly file: Blob };

export interface Orbit {
  readonly turn?: readonly [azimuth: number, elevation: number];
  readonly pan?: readonly [right: number, up: number];
  readonly zoom?: number;
  readonly reset?: true;
}

/** From the page to the renderer. */
export type Order =
  | { readonly type: 'show'; readonly id: number; readonly subject: Subject; readonly settings: Settings }
  | { readonly type: 'play'; readonly isPlaying: boolean }
  /** Pixels of the picture; null: the pointer moves by itself. */
  | { readonly type: 'pointer'; readonly at: readonly [x: number, y: number] | null }
  | { readonly type: 'orbit'; readonly orbit: Orbit }
  | { readonly type: 'probe'; readonly x: number; readonly y: number }
  /** The last picture is on the page. */
  | { readonly type: 'shown' };

export interface LegendEntry {
  readonly color: string;
  readonly text: string;
}

export interface Counter {
  readonly name: string;
  readonly value: string;
}

/** A picture, and what it took. */
export interface Frame {
  readonly type: 'frame';
  /** The order to show that it belongs to. */
  readonly id: number;
  readonly width: number;
  readonly height: number;
  /** RGBA in rows from the top. */
  readonly pixels: Uint8ClampedArray<ArrayBuffer>;
  readonly milliseconds: number;
  /** Of this frame; null if they were not read for it. */
  readonly counters: readonly Counter[] | null;
  readonly legend: readonly LegendEntry[];
}

interface ProbedSample {
  readonly rgba: readonly number[];
  readonly depth: number;
}

/** The samples of a pixel. */
export interface Probe {
  readonly type: 'probed';
  readonly x: number;
  readonly y: number;
  readonly samples: readonly ProbedSample[];
  /** How the surface holds the pixel; null with one sample. */
  readonly state: string | null;
  readonly invocations: number;
}

/** From the renderer to the page. */
export type Report =
  | Frame
  | Probe
  | { readonly type: 'model'; readonly lines: readonly string[] }
  /** The subject cannot be shown. */
  | { readonly type: 'failed'; readonly id: number; readonly message: string };
