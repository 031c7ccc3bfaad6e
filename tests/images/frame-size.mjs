// Size and sample count of the first frames of the bench's scenes for comparison.
/** Text and widgets need pixels: otherwise vertices snapped to a sixteenth of a pixel are visible everywhere. */
export const sizeOf = (name) =>
  ['text', 'interface'].includes(name) ? { width: 640, height: 360 } : { width: 320, height: 180 };
export const SAMPLES = [1, 4];
