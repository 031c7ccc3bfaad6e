// Errors that the renderer throws and the API translates: what happens to a device or a program, not bugs.

/**
 * Thrown by work on the queue when the device cannot go on, e.g. because a shader does not end. `message` is what
 * device.lost tells.
 */
export class DeviceLostError extends Error {
  override readonly name = 'DeviceLostError';
}

/**
 * A program too large for the engine. The API makes it an internal error at pipeline creation; the message is a
 * sentence.
 */
export class ProgramTooLargeError extends Error {
  override readonly name = 'ProgramTooLargeError';
}

/** The platform lacks what every device needs. The message is a sentence without its end. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}
