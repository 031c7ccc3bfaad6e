/**
 * A classic script that installs Rasterloom before the next script of the page runs, as `rasterloom/register` does. It
 * calls `register` with the options of `create` in its attribute `data-options`, which is JSON.
 */
import { register, type CreateOptions } from './index.browser';

function optionsOf(script: HTMLOrSVGScriptElement | null): CreateOptions | undefined {
  const text = script?.dataset['options'];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as CreateOptions;
  } catch (cause) {
    throw new SyntaxError(`rasterloom: the attribute data-options of the script must be JSON, not "${text}"`, {
      cause,
    });
  }
}

register(optionsOf(document.currentScript));
