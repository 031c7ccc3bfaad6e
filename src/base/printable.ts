// Text from outside in messages: names in a model, a shader's source, words of a command. Terminals obey escape
// sequences (clipboard, title), and names can have megabytes.

/** Controls, what has no width, and what turns the direction of text round; halves of surrogate pairs. */
const UNSEEN =
  /[\p{Cc}\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Surrogate}/gu;

const escape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Whole lines for a terminal: all but line breaks and tabs that cannot be seen is escaped, as in JSON. */
export const printed = (text: string): string => text.replace(
  UNSEEN, (character) => (character === '\n' || character === '\t' ? character : escape(character))
);

/** Most characters of a name that are shown. */
const LONGEST = 80;

/** The beginning and the end of a long text. */
export function cut(text: string, most = LONGEST): string {
  if (text.length <= most) return text;
  const end = Math.floor((most - 1) / 3);
  return `${text.slice(0, most - 1 - end)}…${text.slice(text.length - end)}`;
}

/** What cannot be seen as one visible character each: the text keeps its columns, so that carets stand below it. */
export const inColumns = (text: string): string => text.replace(UNSEEN, (character) => {
  if (character === '\t') return character;
  const code = character.charCodeAt(0);
  // Control pictures: ␛ for an escape.
  return code < 0x20 ? String.fromCharCode(0x2400 + code) : code === 0x7f ? '\u2421' : '\ufffd';
});

/** A name in double quotes, cut and escaped; of what is no text, a number or what it is. */
export function quoted(value: unknown): string {
  if (typeof value === 'string') return printed(JSON.stringify(cut(value)));
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
}

/** What was thrown, by a program that may throw anything. */
export function thrown(value: unknown): string {
  try {
    const said: unknown = typeof value === 'object' && value !== null && 'message' in value ? value.message : value;
    if (said === undefined || said === '') return 'no reason was given';
    return plain(typeof said === 'string' ? said : quoted(said), 300);
  } catch {
    // Properties may throw as well.
    return 'the reason cannot be read';
  }
}

/** A part of a message that has no quotes: one line, cut and escaped. */
export const plain = (text: string, most = LONGEST): string => cut(text, most).replace(UNSEEN, escape);

/** What has a label, in a message. */
export const labelled = (kind: string, label: string): string =>
  label === '' ? `${kind} (unlabeled)` : `${kind} "${plain(label)}"`;
