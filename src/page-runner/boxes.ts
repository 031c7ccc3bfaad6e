// Sizes of styles, for the layout of pages.

/** What is read of computed styles, and of elements. */
export type Styles = Readonly<Record<string, string | undefined>>;
type Side = 'Top' | 'Right' | 'Bottom' | 'Left';

/** A border box in CSS pixels, from the top left corner of the window. */
export interface Box {
  left: number;
  top: number;
  readonly width: number;
  readonly height: number;
}

/** Font sizes by keyword, in pixels: https://drafts.csswg.org/css-fonts/#absolute-size-mapping */
const FONT_SIZES: Readonly<Record<string, number>> = {
  'xx-small': 9,
  'x-small': 10,
  small: 13,
  medium: 16,
  large: 18,
  'x-large': 24,
  'xx-large': 32,
};
const MEDIUM = 16;
/** Margins that browsers give elements, where happy-dom has none: above and below, in sizes of the font. */
const MARGINS: Readonly<Record<string, number>> = { h1: 0.67, h2: 0.83, h3: 1, h4: 1.33, p: 1, ul: 1, ol: 1, pre: 1 };
const BODY_MARGIN = 8;

const fontSize = (styles: Styles): number =>
  FONT_SIZES[styles.fontSize ?? ''] ?? lengthOf(styles.fontSize, MEDIUM, MEDIUM) ?? MEDIUM;

/** Returns the height of a line of text. */
export function lineHeight(styles: Styles): number {
  const size = fontSize(styles);
  const factor = Number(styles.lineHeight || Number.NaN);
  return Number.isNaN(factor) ? (lengthOf(styles.lineHeight, size, size) ?? size * 1.2) : factor * size;
}

/**
 * Returns a length in pixels, or undefined for `auto` and lengths in other units.
 * @param base - what 100 % are
 * @param em - size of the font
 */
function lengthOf(text: string | undefined, base: number, em: number): number | undefined {
  const match = /^(-?[\d.]+)(px|em|rem|%|vw|vh)?$/.exec(text?.trim() ?? '');
  if (match === null) return undefined;
  const number = Number(match[1]);
  const units = { px: 1, em, rem: MEDIUM, '%': base / 100, vw: innerWidth / 100, vh: innerHeight / 100 };
  return number * units[(match[2] ?? 'px') as keyof typeof units];
}

/** Margins, paddings and borders of an element, and its font. Percentages are those of the container's width. */
export class Edges {
  readonly em: number;
  /** @param tag - name of the element */
  constructor(
    readonly styles: Styles,
    readonly containerWidth: number,
    readonly tag = ''
  ) {
    this.em = fontSize(styles);
  }

  length(name: string, base = this.containerWidth): number | undefined {
    return lengthOf(this.styles[name], base, this.em);
  }

  margin(side: Side): number {
    const given = this.length(`margin${side}`);
    if (given !== undefined) return given;
    if (this.tag === 'body') return BODY_MARGIN;
    return side === 'Top' || side === 'Bottom' ? (MARGINS[this.tag] ?? 0) * this.em : 0;
  }

  border(side: Side): number {
    return this.styles[`border${side}Style`] === 'none' ? 0 : (this.length(`border${side}Width`) ?? 0);
  }

  /** Border and padding. */
  inset(side: Side): number {
    return this.border(side) + (this.length(`padding${side}`) ?? 0);
  }

  /** Border and padding of both sides. */
  insets(side: 'Top' | 'Left'): number {
    return this.inset(side) + this.inset(side === 'Top' ? 'Bottom' : 'Right');
  }

  /** Returns the width or height of the border box that the styles name, within its limits. */
  side(name: 'width' | 'height', base: number, automatic: number): number {
    const insets = this.insets(name === 'width' ? 'Left' : 'Top');
    const more = this.styles.boxSizing === 'border-box' ? 0 : insets;
    const capital = name === 'width' ? 'Width' : 'Height';
    const given = this.length(name, base);
    const least = this.length(`min${capital}`, base) ?? -more;
    const most = this.length(`max${capital}`, base) ?? Infinity;
    const wanted = given === undefined ? automatic : given + more;
    return Math.max(Math.min(wanted, most + more), least + more, insets);
  }
}
