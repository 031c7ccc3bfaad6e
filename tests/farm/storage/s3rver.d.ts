declare module 's3rver' {
  import type { RequestListener } from 'node:http';

  interface ListOptions {
    prefix: string;
    startAfter: string;
    maxKeys: number;
  }

  interface ObjectList {
    objects: { key: string; size: number; lastModifiedDate: Date }[];
    isTruncated: boolean;
  }

  export default class S3rver {
    readonly store: { listObjects(bucket: string, options: ListOptions): Promise<ObjectList> };
    constructor(options: { directory: string; silent: boolean; vhostBuckets: boolean });
    callback(): RequestListener;
  }
}
