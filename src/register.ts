/** Importing this installs Rasterloom as `navigator.gpu`, and the GPU* classes and constants, where there are none. */
import { create, globals } from './index';

const target = globalThis as unknown as Record<string, unknown>;
for (const [name, value] of Object.entries(globals))
  if (!(name in target)) Object.defineProperty(target, name, { value, writable: true, configurable: true });
// Node has a navigator from version 21 on.
if (!('navigator' in target))
  Object.defineProperty(target, 'navigator', { value: {}, writable: true, configurable: true });
const { navigator } = target as { navigator: { gpu?: GPU } };
if (!navigator.gpu) Object.defineProperty(navigator, 'gpu', { value: create(), enumerable: true, configurable: true });
