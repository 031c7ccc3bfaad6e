// How large the first frames of the bench's scenes are drawn for comparing, and with how many samples.
/** Letters and widgets want pixels, lest vertices that are snapped to a sixteenth of one show everywhere. */
export const sizeOf = (name) => (['text', 'interface'].includes(name)
  ? { width: 640, height: 360 }
  : { width: 320, height: 180 });
export const SAMPLES = [1, 4];
