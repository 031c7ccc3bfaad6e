// The default theme, with a picture on the start page that the build takes from examples/.
import DefaultTheme from 'vitepress/theme';
import { h } from 'vue';
import './pictures.css';
import sample from '../../../examples/sample.png';

const picture = () =>
  h('img', {
    class: 'VPImage image-src',
    src: sample,
    alt: 'A glTF scene of glass, metal and leaves, rendered by Rasterloom',
    style: 'border-radius: 12px',
  });

export default { extends: DefaultTheme, Layout: () => h(DefaultTheme.Layout, null, { 'home-hero-image': picture }) };
