// Light or dark: the choice is shared with the documentation, whose key of the local storage this is.
import { byId } from './elements';

const KEY = 'vitepress-theme-appearance';

export function setUpTheme(onChange: () => void): void {
  const { dataset } = document.documentElement;
  const apply = (theme: string): void => {
    dataset['theme'] = theme;
    onChange();
  };
  byId('theme').addEventListener('click', () => {
    const theme = dataset['theme'] === 'dark' ? 'light' : 'dark';
    localStorage.setItem(KEY, theme);
    apply(theme);
  });
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ({ matches }) => {
    if ((localStorage.getItem(KEY) ?? 'auto') === 'auto') apply(matches ? 'dark' : 'light');
  });
}
