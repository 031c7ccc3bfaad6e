// Downloads a model's files by http and https, for --allow-network. Addresses of this machine and of private networks
// are refused, because a model must not access them.
import type { lookup, LookupAddress, LookupOptions } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP, type IPVersion, type LookupFunction } from 'node:net';
import { ModelError, messageOf } from '../../gltf/errors';
import { shortUri } from '../../gltf/files/uri';

/** Maximum size in bytes and maximum time in milliseconds of a download. */
export const MAX_DOWNLOAD_BYTES = 512 * 1024 * 1024;
export const DOWNLOAD_MS = 60_000;

/**
 * IANA's registries of special-purpose addresses (RFC 6890): unspecified, loopback, link-local, private, shared,
 * benchmark, documentation, multicast and reserved addresses. They also contain prefixes that lead to any IPv4 address:
 * NAT64 (RFC 6052, RFC 8215), Teredo and 6to4.
 */
const PRIVATE = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;
// The first prefix contains the unspecified, loopback and IPv4-compatible addresses, the second the IPv4-mapped ones.
// IPv6 has a separate list, because in a list with IPv4 addresses Node would treat these as mapped addresses.
const PRIVATE_6 = [
  ['::', 96],
  ['::ffff:0:0', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const;

/** Made for the first download. */
const blockLists: Partial<Record<IPVersion, BlockList>> = {};
function blockListOf(version: IPVersion): BlockList {
  const known = blockLists[version];
  if (known) return known;
  const list = new BlockList();
  for (const [network, prefix] of version === 'ipv6' ? PRIVATE_6 : PRIVATE) list.addSubnet(network, prefix, version);
  return (blockLists[version] = list);
}

/** Whether a connection to an address would stay on this machine or a private network. */
export function isPrivateAddress(address: string): boolean {
  const [bare] = address.split('%');
  const version = isIP(bare) === 6 ? 'ipv6' : 'ipv4';
  return blockListOf(version).check(bare, version);
}

/** Code of the error of `lookupPublic` for a private address. */
export const PRIVATE_HOST_CODE = 'ERR_PRIVATE_HOST';
const PRIVATE_HOST = 'its address is on this machine or a private network';

/**
 * Resolves a host name for a connection and refuses private addresses. The connection uses the checked addresses, so
 * that a second, different DNS answer has no effect.
 */
export const lookupPublic =
  (find: typeof lookup): LookupFunction =>
  (host, options, done) => {
    find(host, { ...options, all: true } as LookupOptions & { all: true }, (error, found: LookupAddress[]) => {
      if (error) return done(error, '', 0);
      if (found.some(({ address }) => isPrivateAddress(address)))
        return done(Object.assign(new Error(PRIVATE_HOST), { code: PRIVATE_HOST_CODE }), '', 0);
      if (options.all) return done(null, found);
      done(null, found[0].address, found[0].family);
    });
  };

/**
 * Downloads a file. Redirects are not followed, because they could lead anywhere. `reportSize` gets the number of bytes
 * received so far.
 * @throws ModelError
 */
export async function download(text: string, reportSize: (bytes: number) => void): Promise<Uint8Array> {
  const failed = (why: string): ModelError =>
    new ModelError(`The model names ${shortUri(text)}, which cannot be fetched: ${why}.`, { code: 'resource' });
  let url: URL;
  try {
    url = new URL(text.replace(/^[\\/]{2}/, 'https://'));
  } catch {
    throw failed('it is not a valid address');
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && isPrivateAddress(host)) throw failed(PRIVATE_HOST);
  try {
    const response = await request(url);
    if (response.statusCode !== 200) throw failed(`the server responded with ${response.statusCode}`);
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of response as AsyncIterable<Uint8Array>) {
      size += piece.length;
      reportSize(size);
      if (size > MAX_DOWNLOAD_BYTES) throw failed(`it is larger than ${MAX_DOWNLOAD_BYTES >> 20} MiB`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  } catch (error) {
    throw error instanceof ModelError ? error : failed(messageOf(error));
  }
}

/** Loads what downloads need, which takes 5 ms. */
async function request(url: URL): Promise<IncomingMessage> {
  const { get } = url.protocol === 'http:' ? await import('node:http') : await import('node:https');
  const { lookup } = await import('node:dns');
  return new Promise((resolve, reject) => {
    get(url, { lookup: lookupPublic(lookup), signal: AbortSignal.timeout(DOWNLOAD_MS), agent: false }, resolve).on(
      'error',
      reject
    );
  });
}
