// A server with the interface of S3 (s3rver). A listener before it adds what it lacks: conditions of PUT, and lists of
// several pages, for which it uses a cipher that Node does not have. It cannot remove several objects of a folder at
// the same time, so the listener lets it do that one by one.
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import {
  CreateBucketCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import S3rver from 's3rver';
import type { S3Options } from '../../../src/farm/storage/types';
import { serve } from './kit';

export class ObjectServer {
  readonly requests: { method: string; path: string; headers: IncomingMessage['headers'] }[] = [];
  /** The next requests with this method fail with this status. */
  readonly faults: { method: string; status: number }[] = [];
  /** Most objects of a page of a list. */
  pageSize = 1000;
  /** How much older objects seem to be. */
  ageMs = 0;
  s3!: Required<Pick<S3Options, 'endpoint' | 'region' | 'credentials'>>;
  client!: S3Client;
  readonly #server: S3rver;
  readonly #store: RequestListener;
  readonly #existing = new Set<string>();
  #turn = Promise.resolve();

  private constructor(directory: string) {
    this.#server = new S3rver({ directory, silent: true, vhostBuckets: false });
    this.#store = this.#server.callback();
  }

  /** Starts a server, and creates its buckets. */
  static async start(directory: string, buckets: readonly string[]): Promise<ObjectServer> {
    const server = new ObjectServer(directory);
    const { address: endpoint } = await serve((request, response) => server.#answer(request, response));
    server.s3 = { endpoint, region: 'us-east-1', credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' } };
    server.client = new S3Client({ ...server.s3, forcePathStyle: true });
    for (const Bucket of buckets) await server.client.send(new CreateBucketCommand({ Bucket }));
    return server;
  }

  async upload(Bucket: string, Key: string, Body: string | Uint8Array): Promise<void> {
    await this.client.send(new PutObjectCommand({ Bucket, Key, Body }));
  }

  async download(Bucket: string, Key: string): Promise<Buffer> {
    const { Body } = await this.client.send(new GetObjectCommand({ Bucket, Key }));
    return Buffer.from(await Body!.transformToByteArray());
  }

  /** Keys of up to 1000 objects. */
  async keys(Bucket: string, Prefix = ''): Promise<string[]> {
    const { Contents = [] } = await this.client.send(new ListObjectsV2Command({ Bucket, Prefix }));
    return Contents.map(({ Key }) => Key!);
  }

  readonly #answer: RequestListener = (request, response) => {
    const [path, query = ''] = request.url!.split('?');
    const { method = '', headers } = request;
    this.requests.push({ method, path, headers });
    const fault = this.faults.findIndex((each) => each.method === method);
    if (fault >= 0) return void response.writeHead(this.faults.splice(fault, 1)[0].status).end();
    if (method === 'PUT') {
      if (headers['if-none-match'] === '*' && this.#existing.has(path)) return void response.writeHead(412).end();
      this.#existing.add(path);
    }
    if (method === 'DELETE') this.#existing.delete(path);
    const isList = query.includes('list-type');
    if (method !== 'DELETE' && !isList) return void this.#store(request, response);
    const ended = new Promise<void>((end) => response.on('close', end));
    this.#turn = this.#turn.then(() => {
      if (isList) void this.#list(path.slice(1).replace(/\/$/, ''), new URLSearchParams(query), response);
      else this.#store(request, response);
      return ended;
    });
  };

  async #list(bucket: string, query: URLSearchParams, response: ServerResponse): Promise<void> {
    const token = query.get('continuation-token');
    const prefix = query.get('prefix') ?? '';
    const isFlat = query.get('delimiter') === '/';
    const { objects: found, isTruncated } = await this.#server.store.listObjects(bucket, {
      prefix,
      startAfter: token === null ? '' : Buffer.from(token, 'base64').toString(),
      maxKeys: isFlat ? 1000 : this.pageSize,
    });
    const next = isTruncated ? Buffer.from(found[found.length - 1].key).toString('base64') : undefined;
    // Folders in folders would be left out by s3rver.
    const folderOf = (key: string): string => (isFlat ? (/^[^/]*\//.exec(key.slice(prefix.length))?.[0] ?? '') : '');
    const objects = found.filter(({ key }) => folderOf(key) === '');
    const inFolders = new Set(found.map(({ key }) => folderOf(key)).filter((folder) => folder !== ''));
    const element = (name: string, text: string | number): string =>
      `<${name}>${String(text).replace(/[&<>]/g, (sign) => `&#${sign.charCodeAt(0)};`)}</${name}>`;
    const contents = objects.map(({ key, size, lastModifiedDate }) => {
      const modified = new Date(+lastModifiedDate - this.ageMs).toISOString();
      return `<Contents>${element('Key', key)}${element('LastModified', modified)}${element('Size', size)}</Contents>`;
    });
    const folders = [...inFolders].map(
      (each) => `<CommonPrefixes>${element('Prefix', prefix + each)}</CommonPrefixes>`
    );
    const more = next === undefined ? '' : element('NextContinuationToken', next);
    const parts = [element('IsTruncated', String(isTruncated)), more, ...contents, ...folders];
    response.writeHead(200, { 'content-type': 'application/xml' });
    response.end(`<?xml version="1.0"?><ListBucketResult>${parts.join('')}</ListBucketResult>`);
  }
}
