// Classifies URIs in glTF files by their text alone. The reader of a file must check that it really lies inside the
// model's folder (symbolic links).
import { quoted } from '../../base/printable';
import { ModelError } from '../errors';

/** Target of a URI: in the file itself, inside or outside the model's folder, or on the network. */
export type UriTarget =
  | { kind: 'data' }
  | { kind: 'inside'; path: string }
  | { kind: 'outside'; path: string }
  | { kind: 'network'; url: string };

/**
 * Reads the target of a URI, and decides whether it may be read. `reportSize` must be called with the number of bytes
 * as soon as it is known, before they are read. It throws a ModelError if they exceed the limit.
 */
export type ResourceReader = (
  target: Exclude<UriTarget, { kind: 'data' }>,
  uri: string,
  reportSize: (bytes: number) => void
) => Promise<Uint8Array>;

/** Shortens a URI for a message. */
export const shortUri = (uri: string): string => quoted(uri);

/**
 * Classifies a URI of a glTF file (glTF 2.0 §2.8). Percent escapes are decoded once, backslashes count as slashes, and
 * `.` and `..` are resolved before the test whether it is inside the folder.
 */
export function classifyUri(uri: string): UriTarget {
  if (/^data:/i.test(uri)) return { kind: 'data' };
  if (/^https?:/i.test(uri) || /^[\\/]{2}/.test(uri)) return { kind: 'network', url: uri };
  if (/^file:/i.test(uri))
    return { kind: 'outside', path: decode(uri, uri.replace(/^file:(\/\/(localhost)?(?=\/))?/i, '')) };
  if (/^[a-z]:[\\/]/i.test(uri)) return { kind: 'outside', path: decode(uri, uri) };
  if (/^[a-z][a-z0-9+.-]*:/i.test(uri)) {
    throw new ModelError(
      `The model names ${shortUri(uri)}, a kind of address that is not supported; export it as one .glb.`,
      { code: 'resource' }
    );
  }
  const path = decode(uri, uri).replace(/\\/g, '/');
  if (path.startsWith('/') || /^[a-z]:\//i.test(path)) return { kind: 'outside', path };
  const parts: string[] = [];
  let above = false;
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.length > 0 && parts[parts.length - 1] !== '..') parts.pop();
    else {
      above = true;
      parts.push('..');
    }
  }
  if (parts.length === 0) throw new ModelError(`The model names the file ${shortUri(uri)}, which is empty.`);
  return { kind: above ? 'outside' : 'inside', path: parts.join('/') };
}

function decode(uri: string, path: string): string {
  let text: string;
  try {
    text = decodeURIComponent(path);
  } catch {
    throw new ModelError(
      `The model names the file ${shortUri(uri)}, whose percent escapes are damaged; write % as %25.`
    );
  }
  if (text.includes('\0'))
    throw new ModelError(`The model names the file ${shortUri(uri)}, which holds a zero character.`);
  return text;
}

/** Decodes a `data:` URI (RFC 2397), base64 or percent-encoded. */
export function decodeDataUri(uri: string): Uint8Array {
  const comma = uri.indexOf(',');
  if (comma < 0) throw new ModelError('The model holds a data: URI without a comma.');
  const body = uri.slice(comma + 1);
  try {
    const text = /;base64$/i.test(uri.slice(0, comma)) ? atob(decodeURIComponent(body)) : decodeURIComponent(body);
    const bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
    return bytes;
  } catch {
    throw new ModelError('The model holds a data: URI whose contents are damaged.');
  }
}
