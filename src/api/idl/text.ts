/** Converts to WebIDL's USVString: any value except a symbol; lone surrogates are replaced. */
export function text(value: unknown, at: string): string {
  if (typeof value === 'symbol') throw new TypeError(`${at} must be a string, not a symbol`);
  const string = String(value);
  return /[\ud800-\udfff]/.test(string)
    ? string.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (part) => (part.length === 2 ? part : '\ufffd'))
    : string;
}
