/** Importing this installs Rasterloom as `navigator.gpu`, and the GPU* classes and constants, where there are none. */
import { register } from './index';

register();
