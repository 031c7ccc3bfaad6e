// The models that the arguments name: files, and patterns such as 'models/**/*.glb', which also work where no shell
// expands them.
import { existsSync } from 'node:fs';
import { quoted } from '../../base/printable';
import { InputError } from '../errors';
import { identityOf } from './names';

const isPattern = (word: string): boolean => /[*?[\]{}()!]/.test(word);

/**
 * Lists the models in the order of the arguments, the files of a pattern in the order of their names, each file once.
 * @throws InputError if no file matches a pattern
 */
export async function listModels(words: readonly string[]): Promise<string[]> {
  const models: string[] = [];
  for (const word of words) {
    // A file may have a name that looks like a pattern.
    if (word === '-' || !isPattern(word) || existsSync(word)) models.push(word);
    else models.push(...(await filesOf(word)));
  }
  if (models.length < 2) return models;
  const seen = new Set<string>();
  return models.filter((model) => {
    const identity = model === '-' ? model : identityOf(model);
    if (seen.has(identity)) return false;
    seen.add(identity);
    return true;
  });
}

async function filesOf(pattern: string): Promise<string[]> {
  // Loaded for the first pattern only. Node has an own function for this from version 22 on.
  const { glob } = await import('tinyglobby');
  const files = await glob(process.platform === 'win32' ? pattern.replaceAll('\\', '/') : pattern, {
    expandDirectories: false,
    onlyFiles: true,
  });
  if (files.length === 0) throw new InputError(`No file matches ${quoted(pattern)}.`);
  return files.sort((a, b) => (a < b ? -1 : 1));
}
