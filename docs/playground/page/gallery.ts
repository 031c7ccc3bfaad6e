// The list of scenes, templates and models.
import { scenes } from '../scenes';
import { make } from './elements';

const thumbnails = import.meta.glob<string>('../thumbnails/*.webp', { eager: true, query: '?url', import: 'default' });
const MODEL = 'model';

interface Chosen {
  scene(id: string): void;
  sampleModel(): void;
  ownModel(file: File): void;
}

export class Gallery {
  readonly #items = new Map<string, HTMLButtonElement>();

  readonly #list: HTMLElement;

  constructor(parent: HTMLElement, chosen: Chosen) {
    this.#list = parent;
    const picker = make('input', { type: 'file', accept: '.glb', hidden: true, tabIndex: -1 });
    picker.addEventListener('change', () => {
      const file = picker.files?.[0];
      if (file) chosen.ownModel(file);
      picker.value = '';
    });
    const of = (group: string): HTMLButtonElement[] =>
      scenes
        .filter((scene) => scene.group === group)
        .map(({ id, title }) => this.#item(id, title, () => chosen.scene(id)));
    const models = [
      this.#item(MODEL, 'Sample model', () => chosen.sampleModel()),
      this.#item('file', 'Open a .glb file …', () => picker.click()),
    ];
    for (const [title, items] of [
      ['Scenes', of('scene')],
      ['Models', models],
      ['Start from', of('template')],
    ] as const)
      parent.append(
        make('div', { className: 'group' }, make('h2', {}, title), make('div', { className: 'items' }, ...items))
      );
    parent.append(picker);
  }

  /** Marks a scene, or the models, and scrolls the list to it where the list is a row. */
  select(id: string | null): void {
    for (const [name, item] of this.#items) {
      const isSelected = name === (id ?? MODEL);
      item.setAttribute('aria-current', String(isSelected));
      const list = this.#list;
      if (isSelected && list.scrollWidth > list.clientWidth)
        list.scrollLeft = item.offsetLeft - list.offsetLeft - (list.clientWidth - item.clientWidth) / 2;
    }
  }

  #item(id: string, title: string, choose: () => void): HTMLButtonElement {
    const address = thumbnails[`../thumbnails/${id}.webp`];
    const image = address ? [make('img', { src: address, alt: '', width: 64, height: 36, loading: 'lazy' })] : [];
    const item = make('button', { type: 'button', onclick: choose }, ...image, make('span', {}, title));
    item.dataset['item'] = id;
    this.#items.set(id, item);
    return item;
  }
}
