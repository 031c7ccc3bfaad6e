// Removes secrets from text before it is shown or logged: passwords in addresses, and query strings, which hold the
// signature of a presigned address.

/** An address within a text. It ends at white space, quotes, and brackets. */
const ADDRESS = /\b[a-z][a-z\d+.-]*:\/\/[^\s"'<>`]+/gi;
/** Signatures that stand alone, for example in a server's answer. */
const SIGNATURE = /\b(X-Amz-(?:Signature|Credential|Security-Token)|Signature|sig|AWSAccessKeyId)=[^\s&"'<>]+/gi;

function redactedAddress(address: string): string {
  const shown = address.replace(/^([^/]*\/\/)[^/?#]*@/, '$1…@');
  const end = shown.search(/[?#]/);
  return end < 0 ? shown : `${shown.slice(0, end)}?…`;
}

/** Returns the text without passwords and query strings of the addresses in it. */
export const redacted = (text: string): string => text.replace(ADDRESS, redactedAddress).replace(SIGNATURE, '$1=…');
