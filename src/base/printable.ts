// Prepares untrusted text for messages: names in a model, shader sources, command-line arguments. Terminals obey escape
// sequences (for example, to set the clipboard or the title), and names can be megabytes long.

/** Control characters, characters without width, characters that change the text direction, and lone surrogates. */
const INVISIBLE_CHARACTERS =
  /[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Escapes all invisible characters for a terminal, as in JSON. Line breaks and tabs are kept. */
export const printed = (text: string): string =>
  text.replace(INVISIBLE_CHARACTERS, (character) =>
    character === '\n' || character === '\t' ? character : escape(character)
  );

/** Most UTF-16 code units of a name that are shown. */
const MAX_LENGTH = 80;

/** Shortens a long text to its beginning and its end. */
export function cut(text: string, most = MAX_LENGTH): string {
  if (text.length <= most) return text;
  const end = Math.floor((most - 1) / 3);
  return `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`;
}

/** Replaces each invisible character by one visible character. The text keeps its columns, so that carets line up. */
export const inColumns = (text: string): string =>
  text.replace(INVISIBLE_CHARACTERS, (character) => {
    if (character === '\t') return character;
    const code = character.charCodeAt(0);
    // Control pictures (U+2400 and following), for example ␛ for an escape.
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd';
  });

/**
 * Formats a value for a message. A string is quoted, shortened and escaped; arrays and objects are named by their kind.
 */
export function quoted(value: unknown): string {
  if (typeof value === 'string') return printed(JSON.stringify(cut(value)));
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** Describes a thrown value, which may be of any type. */
export function thrown(value: unknown): string {
  try {
    const said: unknown = typeof value === 'object' && value !== null && 'message' in value ? value.message : value;
    if (said === undefined || said === '') return 'no reason was given';
    return plain(typeof said === 'string' ? said : quoted(said), 300);
  } catch {
    // Getters of properties may throw too.
    return 'the reason cannot be read';
  }
}

/** Formats a part of a message without quotes: on one line, shortened and escaped. */
export const plain = (text: string, most = MAX_LENGTH): string => cut(text, most).replace(INVISIBLE_CHARACTERS, escape);

/** Names a labelled object in a message. */
export const labelled = (kind: string, label: string): string =>
  label === '' ? `${kind} (unlabeled)` : `${kind} "${plain(label)}"`;
