// Explains mistyped arguments: sentences for errors of `parseArgs`, and suggestions.
import { closestWord } from '../../base/closest-word';
import { plain } from '../../base/printable';

/**
 * Joins negative numbers to the options before them. `parseArgs` would treat them as options, but the option itself
 * should report what is wrong with `--threads -1`.
 */
export function joinNegativeNumbers(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (const word of words) {
    const option = joined.at(-1) ?? '';
    if (/^-\.?\d/.test(word) && /^-(-[a-z-]+|[a-z])$/.test(option))
      joined[joined.length - 1] = `${option}${option.startsWith('--') ? '=' : ''}${word}`;
    else joined.push(word);
  }
  return joined;
}

/**
 * Makes a sentence of an error of `parseArgs`. `options` are the valid names; `help` is the quoted command that shows
 * them.
 */
export function explain(error: unknown, words: readonly string[], options: readonly string[], help: string): string {
  const { code, message } = error as Error & { code?: string };
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const word = /'([^']+)'/.exec(message)?.[1] ?? words.find((w) => w.startsWith('-')) ?? '';
    const hint = closestWord(
      word,
      options.map((name) => `--${name}`)
    );
    return `There is no option ${plain(word)}.${hint ? ` Did you mean ${hint}?` : ''} See ${help}.`;
  }
  const option = /^Option '(?:-\w, )?(-[\w-]+)/.exec(message)?.[1];
  if (code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' && option !== undefined) {
    if (message.includes('does not take')) return `${option} takes no value. See ${help}.`;
    // `parseArgs` does not take a word that looks like an option for a value.
    return message.includes('ambiguous')
      ? `${option} needs a value. A value that begins with - is written as in --option=-value. See ${help}.`
      : `${option} needs a value. See ${help}.`;
  }
  return plain(message.split(/\. |\n/)[0], 400).replace(/\.?$/, `. See ${help}.`);
}
