// The tabs: by click, and by arrow keys.
import { byId } from './elements';
import type { Tab } from './state';

const TABS: readonly Tab[] = ['scenes', 'benchmark'];

export function selectTab(selected: Tab): void {
  for (const tab of TABS) {
    const button = byId(`tab-${tab}`);
    button.setAttribute('aria-selected', String(tab === selected));
    button.tabIndex = tab === selected ? 0 : -1;
    byId(`panel-${tab}`).hidden = tab !== selected;
  }
}

export function setUpTabs(onSelect: (tab: Tab) => void): void {
  TABS.forEach((tab, k) => {
    const button = byId(`tab-${tab}`);
    button.addEventListener('click', () => onSelect(tab));
    button.addEventListener('keydown', ({ key }) => {
      if (key !== 'ArrowLeft' && key !== 'ArrowRight') return;
      const next = TABS[(k + (key === 'ArrowRight' ? 1 : TABS.length - 1)) % TABS.length]!;
      byId(`tab-${next}`).focus();
      onSelect(next);
    });
  });
}
