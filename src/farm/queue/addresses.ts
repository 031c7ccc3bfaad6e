// Addresses of inputs and outputs that are not files: http:, https: and s3:.

/** Whether a name is an address and not a path. A scheme has two letters or more, unlike a drive of Windows. */
export const isAddress = (name: string): boolean => /^[a-z][a-z0-9+.-]+:/i.test(name);

/** Name of the version of an address among the hashes of a job's inputs. */
export const versionName = (address: string): string => `${address}#version`;

/**
 * What identifies an address: the address without user, password and query, since presigned addresses of one object
 * differ in their queries. Other queries identify objects, so they are kept.
 */
export function stableAddress(address: string): string {
  let url: URL;
  try {
    url = new URL(address);
  } catch {
    return address;
  }
  url.username = '';
  url.password = '';
  url.hash = '';
  const isSigned = [...url.searchParams.keys()].some((name) => /^(x-(amz|goog)-signature|signature|sig)$/i.test(name));
  if (isSigned) url.search = '';
  return url.href;
}
