/** A Redis of one's own. */
export class RedisServer {
  static start(options?: {
    password?: string;
    tls?: { certificate: string; key: string };
    aof?: boolean;
  }): Promise<RedisServer>;
  readonly folder: string;
  readonly port: number;
  readonly url: string;
  readonly pid: number;
  kill(): Promise<void>;
  restart(): Promise<void>;
  freeze(): void;
  thaw(): void;
  cpuMilliseconds(): Promise<number>;
  close(): Promise<void>;
}
