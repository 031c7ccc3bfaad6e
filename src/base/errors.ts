// Errors that the renderer throws and the API translates. They report what happens to a device or a shader, not bugs.

/**
 * Thrown by work on the queue when the device cannot continue, for example because a shader does not end. `message`
 * becomes the message of `device.lost`.
 */
export class DeviceLostError extends Error {
  override readonly name = 'DeviceLostError';
}

/**
 * Thrown when a shader is too large for the engine. The API reports it as an internal error when the pipeline is
 * created. `message` is a full sentence.
 */
export class ProgramTooLargeError extends Error {
  override readonly name = 'ProgramTooLargeError';
}

/** Thrown when the platform lacks what every device needs. `message` is a sentence without its full stop. */
export class UnavailableError extends Error {
  override readonly name = 'UnavailableError';
}

type ErrorName = 'DeviceLostError' | 'InternalError' | 'OutOfMemoryError' | 'ProgramTooLargeError';

/** Recognises an error by its name. The API and the engine are separate bundles, each with its own error classes. */
export const isNamed = (error: unknown, name: ErrorName): error is Error =>
  error instanceof Error && error.name === name;
