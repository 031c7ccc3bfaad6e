// Passes in which nothing is drawn, on surfaces whose samples are known to hold one value: the pass clears them to the
// same value again, or resolves them, without visiting their tiles.

import { Attachment, FORMAT_NONE, Pass } from '../layout';
import { isUniform } from '../surface/whole';
import { clearTexel, fillRows, repeat } from './rows';

/** Executes a pass in which nothing is drawn and returns true, if it changes its surfaces in no other way. */
export function tryFinishIdlePass(pass: Pass): bool {
  if (pass.samples == 1 || !pass.encodes) return false;
  if (!isFinishedWhenIdle(pass, pass.depth) || !isFinishedWhenIdle(pass, pass.stencil)) return false;
  for (let i = 0; i < pass.colorCount; i++) if (!isFinishedWhenIdle(pass, pass.color(i))) return false;
  for (let i = 0; i < pass.colorCount; i++) {
    const attachment = pass.color(i);
    if (attachment.format == FORMAT_NONE || !attachment.resolveAddress) continue;
    const surface = attachment.surface;
    const texel = isCleared(attachment) ? clearOf(pass, attachment) : surface.clear;
    const length = pass.width * surface.texelBytes;
    fillRows(texel, attachment.resolveAddress, attachment.resolveRowBytes, length, pass.height);
  }
  return true;
}

/** Called after a pass in which nothing was drawn: marks surfaces that it cleared and stored as uniform. */
export function markUniformSurfaces(pass: Pass): void {
  if (pass.samples == 1 || !pass.encodes) return;
  noteUniform(pass, pass.depth);
  noteUniform(pass, pass.stencil);
  for (let i = 0; i < pass.colorCount; i++) noteUniform(pass, pass.color(i));
}

function noteUniform(pass: Pass, attachment: Attachment): void {
  if (attachment.format == FORMAT_NONE || !isCleared(attachment) || !attachment.store) return;
  const surface = attachment.surface;
  memory.copy(surface.clear, clearOf(pass, attachment), 16);
  surface.uniform = 1;
}

function isCleared(attachment: Attachment): bool {
  return attachment.clear != 0 && attachment.readOnly == 0;
}

function isFinishedWhenIdle(pass: Pass, attachment: Attachment): bool {
  if (attachment.format == FORMAT_NONE) return true;
  // A loaded attachment needs no work unless it is resolved. One that is cleared and not stored is discarded as a
  // whole.
  if (!isCleared(attachment)) return !attachment.resolveAddress || attachment.surface.uniform != 0;
  return !attachment.store || isUniform(attachment.surface, clearOf(pass, attachment));
}

/**
 * The clear value in the surface's format, repeated to 16 bytes, in scratch memory that is valid until the next call.
 */
function clearOf(pass: Pass, attachment: Attachment): usize {
  const surface = attachment.surface;
  const texel = surface.pool.counts;
  clearTexel(pass, attachment, texel, false);
  repeat(texel, surface.texelBytes, 16);
  return texel;
}
