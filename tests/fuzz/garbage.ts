// Forces garbage collection. Compiled code and device memory are small on V8's heap but large on the machine: V8 alone
// would let them accumulate, and leaks could not be distinguished from uncollected garbage.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
export const collectGarbage = runInNewContext('gc') as () => void;
