/** Exit codes of all commands, by cause. */
export const EXIT = {
  /** Everything was done. */
  done: 0,
  /** The answer is no: a shader has errors, pictures differ; or some of several models failed. */
  no: 1,
  /** The arguments are wrong; nothing was started. */
  usage: 2,
  /** An input does not exist, cannot be read, or is refused as damaged or unsupported. */
  input: 3,
  /** An output cannot be written. */
  output: 4,
  /** No GPU is available, or it cannot do what was asked, for example because of its memory. */
  device: 5,
  /** Nothing can be seen in the picture. */
  empty: 6,
  /** The queue of a farm cannot be used: Redis does not answer, or a package for it is missing. */
  queue: 7,
  /** A page has an error that it did not catch. */
  script: 8,
  /** A page took longer than its time limit. */
  timeout: 9,
  /** An optional package is missing. */
  package: 10,
  /** A mistake in the command itself (EX_SOFTWARE of sysexits.h). */
  bug: 70,
} as const;

type Exit = (typeof EXIT)[keyof typeof EXIT];

/** A mistake in the command line, or a problem outside the model. The message is shown unchanged. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: Exit = EXIT.usage;
}

/** An input that cannot be read. */
export class InputError extends CommandError {
  override readonly exitCode = EXIT.input;
}

/** An output that cannot be written. */
export class OutputError extends CommandError {
  override readonly exitCode = EXIT.output;
}

/** A picture in which nothing can be seen. */
export class EmptyError extends CommandError {
  override readonly exitCode = EXIT.empty;
}

/** A GPU that is missing, or that cannot do what was asked. */
export class DeviceError extends CommandError {
  override readonly exitCode = EXIT.device;
}

/** A GPU with too little memory for what was asked. */
export class MemoryError extends DeviceError {}

/** A queue that cannot be used. */
export class FarmError extends CommandError {
  override readonly exitCode = EXIT.queue;
}

/** A page with an error that it did not catch. */
export class ScriptError extends CommandError {
  override readonly exitCode = EXIT.script;
}

/** A page that took longer than its time limit. */
export class TimeoutError extends CommandError {
  override readonly exitCode = EXIT.timeout;
}

/** An optional package that is missing. */
export class PackageError extends CommandError {
  override readonly exitCode = EXIT.package;
}
