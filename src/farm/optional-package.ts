// Packages that a user installs only for a feature: loaded on first use.
import { thrown } from '../base/printable';

/** The error for a package that cannot be loaded. */
class MissingPackageError extends Error {
  override readonly name = 'MissingPackageError';
  readonly code = 'dependency';
}

/**
 * Loads an optional package.
 * @param load calls `import()` with the name as a literal, which bundlers need
 * @param purpose what needs it, as the subject of a sentence
 * @throws MissingPackageError
 */
export async function loadOptional<T>(load: () => Promise<T>, packages: string, purpose: string): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const isMissing = /^(ERR_MODULE_NOT_FOUND|MODULE_NOT_FOUND)$/.test(String((error as { code?: unknown }).code));
    throw new MissingPackageError(
      isMissing
        ? `${purpose} needs packages that are not installed; run: npm install ${packages}`
        : `${purpose} cannot load ${packages}: ${thrown(error)}`,
      { cause: error }
    );
  }
}
