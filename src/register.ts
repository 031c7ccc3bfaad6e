/**
 * Importing this module installs Rasterloom as `navigator.gpu`, with the GPU* classes and constants, unless they exist.
 */
import { register } from './index';

register();
