// Compiled code and the memory of devices are little for V8's heap and much for the machine: left to itself, V8 lets
// them pile up, and what leaks cannot be told from what waits.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
export const collectGarbage = runInNewContext('gc') as () => void;
