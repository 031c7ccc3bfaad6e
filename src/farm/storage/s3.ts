// Inputs and outputs in S3-compatible storage, through the official client. It is loaded with the first address.
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import type { S3Client } from '@aws-sdk/client-s3';
import { loadOptional } from '../optional-package';
import type { StorageError, Subject } from './errors';
import { mediaType, statusError, versionOf, type OpenInput } from './http';
import type { AllowedPlaces, Place } from './rules';
import type { S3Options } from './types';

type Module = typeof import('@aws-sdk/client-s3');
export type ObjectPlace = Extract<Place, { kind: 's3' }>;

/** Name of an object's metadata that holds its SHA-256. */
const HASH = 'sha256';

/** The client would write to the console, where a worker writes its log. */
const SILENT = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore };
function ignore(): void {}

/** A part of a list of objects. */
export interface ObjectPage {
  readonly objects: readonly { readonly key: string; readonly bytes: number; readonly modifiedAt: number }[];
  /** Beginnings of keys that end with a slash. */
  readonly folders: readonly string[];
  /** Where the next part begins; undefined: this is the last one. */
  readonly next: string | undefined;
}

interface S3Rules {
  readonly inputs: AllowedPlaces;
  readonly outputs: AllowedPlaces;
}

export class S3Storage {
  readonly #options: S3Options;
  readonly #rules: S3Rules;
  #loaded: Promise<{ s3: Module; client: S3Client }> | undefined;

  constructor(options: S3Options, rules: S3Rules) {
    this.#options = options;
    this.#rules = rules;
  }

  async open({ bucket, key }: ObjectPlace, subject: Subject, signal: AbortSignal): Promise<OpenInput> {
    if (!this.#rules.inputs.hasObject(bucket, key))
      throw subject.error('refused', 'is not in a bucket that the option inputs of this worker allows');
    return this.#read(bucket, key, subject, signal);
  }

  /** The version of an input, by its ETag and length. */
  async version({ bucket, key }: ObjectPlace, subject: Subject, signal: AbortSignal): Promise<string | undefined> {
    const { s3, client } = await this.#load();
    try {
      const command = new s3.HeadObjectCommand({ Bucket: bucket, Key: key });
      const { ETag, ContentLength } = await client.send(command, { abortSignal: signal });
      return versionOf(ETag, ContentLength);
    } catch (error) {
      throw explain(error, subject);
    }
  }

  /**
   * Puts an output on the condition that there is no such object.
   * @returns false if there is one
   */
  async put(
    { bucket, key }: ObjectPlace,
    file: string,
    subject: Subject,
    output: { bytes: number; sha256: string; overwrite: boolean; signal: AbortSignal }
  ): Promise<boolean> {
    this.#checkOutput(bucket, key, subject);
    const { s3, client } = await this.#load();
    const { bytes, sha256, overwrite, signal } = output;
    const body = createReadStream(file);
    const command = new s3.PutObjectCommand({
      Bucket: bucket,
      Key: key,
      Body: body,
      ContentLength: bytes,
      ContentType: mediaType(key),
      Metadata: { [HASH]: sha256 },
      // The service compares it with the body, and keeps nothing if they differ.
      ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
      ...(overwrite ? {} : { IfNoneMatch: '*' }),
    });
    try {
      await client.send(command, { abortSignal: signal });
      return true;
    } catch (error) {
      if (statusOf(error) === 412) return false;
      throw explain(error, subject);
    } finally {
      body.destroy();
    }
  }

  /** SHA-256 of an object, if it was stored with it. Otherwise, its body has to be read. */
  async hashOf({ bucket, key }: ObjectPlace, subject: Subject, signal: AbortSignal): Promise<string | OpenInput> {
    const { s3, client } = await this.#load();
    try {
      const { Metadata } = await client.send(new s3.HeadObjectCommand({ Bucket: bucket, Key: key }), {
        abortSignal: signal,
      });
      return Metadata?.[HASH] ?? (await this.#read(bucket, key, subject, signal));
    } catch (error) {
      throw explain(error, subject);
    }
  }

  /** Opens an object where outputs go. */
  async openOutput({ bucket, key }: ObjectPlace, subject: Subject, signal: AbortSignal): Promise<OpenInput> {
    this.#checkOutput(bucket, key, subject);
    return this.#read(bucket, key, subject, signal);
  }

  /**
   * Lists a part of the objects where outputs go.
   * @param place the beginning of their keys
   * @param page.isFlat lists what is in folders as these folders
   */
  async list(
    { bucket, key }: ObjectPlace,
    { after, isFlat }: { after: string | undefined; isFlat: boolean },
    subject: Subject,
    signal: AbortSignal
  ): Promise<ObjectPage> {
    this.#checkOutput(bucket, key, subject);
    const { s3, client } = await this.#load();
    try {
      const command = new s3.ListObjectsV2Command({
        Bucket: bucket,
        Prefix: key,
        ...(after === undefined ? {} : { ContinuationToken: after }),
        ...(isFlat ? { Delimiter: '/' } : {}),
      });
      const {
        Contents = [],
        CommonPrefixes = [],
        NextContinuationToken,
      } = await client.send(command, { abortSignal: signal });
      return {
        objects: Contents.map(({ Key, Size = 0, LastModified }) => ({
          key: Key!,
          bytes: Size,
          modifiedAt: LastModified?.getTime() ?? 0,
        })),
        folders: CommonPrefixes.map(({ Prefix }) => Prefix!),
        next: NextContinuationToken,
      };
    } catch (error) {
      throw explain(error, subject);
    }
  }

  /** Removes an object where outputs go. Not all services can remove several at once. */
  async remove({ bucket, key }: ObjectPlace, subject: Subject, signal: AbortSignal): Promise<void> {
    this.#checkOutput(bucket, key, subject);
    const { s3, client } = await this.#load();
    try {
      await client.send(new s3.DeleteObjectCommand({ Bucket: bucket, Key: key }), { abortSignal: signal });
    } catch (error) {
      if (statusOf(error) !== 404) throw explain(error, subject);
    }
  }

  async close(): Promise<void> {
    (await this.#loaded?.catch(() => undefined))?.client.destroy();
  }

  #checkOutput(bucket: string, key: string, subject: Subject): void {
    if (!this.#rules.outputs.hasObject(bucket, key))
      throw subject.error('refused', 'is not in a bucket that the option outputs of this worker allows');
  }

  async #read(bucket: string, key: string, subject: Subject, signal: AbortSignal): Promise<OpenInput> {
    const { s3, client } = await this.#load();
    try {
      const command = new s3.GetObjectCommand({ Bucket: bucket, Key: key });
      const { Body, ContentLength, ETag } = await client.send(command, { abortSignal: signal });
      const version = versionOf(ETag, ContentLength);
      return { body: Body as Readable, version, ...(ContentLength === undefined ? {} : { bytes: ContentLength }) };
    } catch (error) {
      throw explain(error, subject);
    }
  }

  #load(): Promise<{ s3: Module; client: S3Client }> {
    return (this.#loaded ??= this.#create());
  }

  async #create(): Promise<{ s3: Module; client: S3Client }> {
    const s3 = await loadOptional(
      () => import('@aws-sdk/client-s3'),
      '@aws-sdk/client-s3',
      'Storage with s3: addresses'
    );
    const { endpoint, region, forcePathStyle = endpoint !== undefined, credentials } = this.#options;
    const client = new s3.S3Client({
      forcePathStyle,
      // The storage itself tries again, also with bodies that are streams.
      maxAttempts: 1,
      logger: SILENT,
      // Outputs have their SHA-256. Other services do not know the checksums that the client adds otherwise.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(endpoint === undefined ? {} : { endpoint }),
      ...(region === undefined ? {} : { region }),
      ...(credentials === undefined ? {} : { credentials }),
    });
    return { s3, client };
  }
}

const statusOf = (error: unknown): number | undefined =>
  (error as { $metadata?: { httpStatusCode?: number } } | null)?.$metadata?.httpStatusCode;

function explain(error: unknown, subject: Subject): StorageError {
  const status = statusOf(error);
  if ((error as Error).name === 'CredentialsProviderError')
    return subject.error('denied', 'needs credentials; set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY', error);
  return status === undefined ? subject.failed(error) : statusError(status, subject);
}
