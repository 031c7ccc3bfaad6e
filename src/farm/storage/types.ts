// Where inputs come from and outputs go: files, HTTP(S) and S3-compatible storage.

/** What is known of an input before it is read. A body that differs is an error. */
export interface ExpectedInput {
  /** In hexadecimal digits. */
  readonly sha256?: string;
  readonly bytes?: number;
  /** What `versionOf` returned when the job was added. */
  readonly version?: string;
  readonly signal?: AbortSignal;
}

/** An input on the local disk. */
export interface LocalInput {
  readonly path: string;
  /** In hexadecimal digits. */
  readonly sha256: string;
  readonly bytes: number;
  /** Ends its use. Until then, the cache keeps the file. */
  release(): Promise<void>;
}

export interface OutputInfo {
  /** The hash of the file, in hexadecimal digits. */
  readonly sha256: string;
  readonly signal?: AbortSignal;
}

/** What `putOutput` has done. */
export interface PutResult {
  /** False if the address already held the same bytes. */
  readonly written: boolean;
}

/** What is known of an object without reading it. */
export interface StoredObject {
  /** What follows the address of the folder. */
  readonly name: string;
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

/** Objects of S3-compatible storage below an address. All methods reject with a StorageError. */
export interface ObjectFolder {
  /** Puts a complete object or none. If there is one with the same bytes, this succeeds. */
  put(file: string, name: string, output: OutputInfo): Promise<PutResult>;
  /** Reads an object into a file. It must have this length and this hash. */
  read(name: string, file: string, about: { bytes: number; sha256: string }, signal: AbortSignal): Promise<void>;
  /** Text of an object; undefined if there is none. @param limit most bytes of it */
  readText(name: string, limit: number, signal: AbortSignal): Promise<string | undefined>;
  /** All objects whose names have a beginning, by pages. */
  list(beginning: string, signal?: AbortSignal): AsyncGenerator<StoredObject, void, void>;
  /** Names of the folders in this one. */
  folders(): AsyncGenerator<string, void, void>;
  /** Removes an object, also if there is none. */
  remove(name: string): Promise<void>;
}

/**
 * Reads inputs and writes outputs by their addresses: a path, or an address with `file:`, `http:`, `https:` or `s3:`.
 * All methods reject with a StorageError.
 */
export interface Storage {
  readInput(address: string, expected?: ExpectedInput): Promise<LocalInput>;
  /**
   * Writes a complete output or none. If the address holds the same bytes, this succeeds, so that a job may run twice.
   */
  putOutput(file: string, address: string, output: OutputInfo): Promise<PutResult>;
  /**
   * Objects below an address that ends with a slash, where outputs may go; undefined if it does not begin with `s3:`.
   * Files by HTTP(S) can be neither listed nor removed.
   */
  objects(address: string): ObjectFolder | undefined;
  close(): Promise<void>;
}

/** S3-compatible storage. What is not set comes from the environment, as in other programs with the official client. */
export interface S3Options {
  /** Address of the service, for example of MinIO. Default: Amazon's. */
  readonly endpoint?: string;
  readonly region?: string;
  /** Whether buckets are named in the path and not in the host name. Default: true if there is an `endpoint`. */
  readonly forcePathStyle?: boolean;
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

export interface StorageOptions {
  /**
   * From where inputs may come: folders, or beginnings of addresses that end with a slash, such as
   * `https://example.com/models/` or `s3://bucket/models/`.
   */
  readonly inputs: readonly string[];
  /** Where outputs may go, in the same form. */
  readonly outputs: readonly string[];
  /** Allows inputs from every public HTTP(S) address. Default: false. */
  readonly allowNetwork?: boolean;
  /** Allows HTTP(S) addresses on this machine and on private networks. Default: false. */
  readonly allowPrivateNetwork?: boolean;
  /** Replaces outputs that hold other bytes. Default: false, which makes them an error. */
  readonly overwrite?: boolean;
  /** Folder for copies of inputs from the network. Default: `inputs` in the user's cache folder for this package. */
  readonly cacheFolder?: string;
  /** Most bytes in that folder. Default: 4 GiB. */
  readonly cacheBytes?: number;
  /** Most bytes of one input or output. Default: 512 MiB. */
  readonly maxFileBytes?: number;
  /** Most time for one transfer, in milliseconds. Default: 5 minutes. */
  readonly timeoutMs?: number;
  readonly s3?: S3Options;
}

/**
 * Why an input cannot be read, or an output cannot be written.
 *
 * - `'address'`: the address is not valid, or of a kind that is not supported.
 * - `'refused'`: the rules of this worker or of the server do not allow it.
 * - `'missing'`: there is nothing at the address.
 * - `'denied'`: the address needs other credentials, or a presigned address has expired.
 * - `'conflict'`: the address holds other bytes.
 * - `'altered'`: length or hash differ from what was announced.
 * - `'too-large'`: it exceeds the limit.
 * - `'timeout'`: it took too long.
 * - `'unavailable'`: the server, the network or the disk failed.
 * - `'dependency'`: an optional package is not installed.
 */
export type StorageErrorCode =
  | 'address'
  | 'refused'
  | 'missing'
  | 'denied'
  | 'conflict'
  | 'altered'
  | 'too-large'
  | 'timeout'
  | 'unavailable'
  | 'dependency';
