import { calls } from './calls';
import { compute } from './compute';
import { draws } from './draws';
import { mixed } from './mixed';
import { models } from './models';
import { programs } from './programs';
import { surfaces } from './surfaces';
import type { Target } from './target';
import { texts } from './texts';
import { textures } from './textures';
import { words } from './words';

/** By the arguments of `npm run fuzz`. */
export const targets: Readonly<Record<string, Target>> = {
  programs,
  compute,
  texts,
  calls,
  draws,
  textures,
  surfaces,
  models,
  words,
  mixed,
};
