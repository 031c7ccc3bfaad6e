// Messages between runPage and the thread that runs a page.

/** Origin that the folder of a page has. */
export const ORIGIN = 'http://page.localhost';

/** Something that a visitor does. */
export type PageAction =
  | { readonly kind: 'click'; readonly x: number; readonly y: number }
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'script'; readonly file: string };

/** What the thread shall do. */
export interface PageOrder {
  /** URL of the page, in ORIGIN. */
  readonly url: string;
  readonly html: string;
  /** Folder of the origin: a resolved path. */
  readonly folder: string;
  readonly width: number;
  readonly height: number;
  /** Numbers of frames, increasing. */
  readonly frames: readonly number[];
  readonly selector: string | null;
  readonly actions: readonly PageAction[];
  readonly seed: number;
  readonly network: boolean;
  readonly threads: number | undefined;
  readonly fonts: Readonly<Record<string, string>> | undefined;
  /** Type of the pictures. */
  readonly type: string;
  /** URLs of modules: Rasterloom, its virtual time, the loader's hooks and happy-dom. */
  readonly modules: {
    readonly rasterloom: string;
    readonly time: string;
    readonly hooks: string;
    readonly dom: string;
  };
}

/** What the thread says. */
export type PageNews =
  | { readonly kind: 'state'; readonly text: string }
  | { readonly kind: 'error'; readonly text: string }
  | { readonly kind: 'missing'; readonly url: string }
  | { readonly kind: 'picture'; readonly picture: PagePicture }
  | { readonly kind: 'no-canvas'; readonly text: string }
  | { readonly kind: 'done' };

/** The picture of a canvas at a frame. */
export interface PagePicture {
  readonly frame: number;
  readonly width: number;
  readonly height: number;
  /** The file: PNG, JPEG or WebP. */
  readonly bytes: Uint8Array;
  /** Whether all pixels are equal. */
  readonly isBlank: boolean;
}

/** What the loader's hooks are given. */
export interface HookData {
  readonly url: string;
  readonly folder: string;
  readonly network: boolean;
  /** Texts of inline modules, by their URLs. */
  readonly inline: Readonly<Record<string, string>>;
  readonly map: ImportMap;
  /** Number of modules that are loading, and of loads that have begun. */
  readonly loading: Int32Array;
}

/** https://html.spec.whatwg.org/multipage/webappapis.html#import-maps */
export interface ImportMap {
  readonly imports: Readonly<Record<string, string>>;
  readonly scopes: Readonly<Record<string, Readonly<Record<string, string>>>>;
}
