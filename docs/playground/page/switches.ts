// The switches of the renderer.
import type { Settings } from '../protocol';
import { make } from './elements';
import { CHOICES, isIsolated } from './state';

interface Switch<Name extends keyof Settings = keyof Settings> {
  readonly name: Name;
  readonly label: string;
  readonly text: (value: string) => string;
  /** Where it has an effect; both, if it is left out. */
  readonly only?: 'scene' | 'model';
}

const OVERLAY_NAMES: Record<string, string> = {
  none: 'none',
  overdraw: 'Overdraw',
  rates: 'Shading rate',
  encoding: 'Encoding of samples',
  tiles: 'Tiles per worker',
};
const PASS_NAMES: Record<string, string> = {
  color: 'Colours',
  albedo: 'Albedo',
  normal: 'Normals',
  depth: 'Depth',
  object: 'Objects',
  ao: 'Ambient occlusion',
  tiles: 'Tiles per worker',
};
const capitalized = (value: string): string => value[0]!.toUpperCase() + value.slice(1);

const SWITCHES: readonly Switch[] = [
  { name: 'overlay', label: 'Overlay', text: (value) => OVERLAY_NAMES[value]!, only: 'scene' },
  { name: 'pass', label: 'Pass', text: (value) => PASS_NAMES[value]!, only: 'model' },
  { name: 'samples', label: 'Samples per pixel', text: (value) => value },
  { name: 'rate', label: 'Shading rate', text: (value) => value.replace('x', '×') },
  { name: 'order', label: 'Order of draws', text: capitalized, only: 'scene' },
  { name: 'engine', label: 'Shaders', text: capitalized },
  { name: 'kernel', label: 'Kernel', text: (value) => (value === 'simd' ? 'SIMD' : 'Scalar, interprets') },
  { name: 'threads', label: 'Worker threads', text: (value) => (value === '0' ? 'none' : value) },
  { name: 'width', label: 'Resolution', text: (value) => `${value}×${(Number(value) * 9) / 16}` },
];

export class Switches {
  readonly #selects = new Map<keyof Settings, HTMLSelectElement>();
  readonly #labels = new Map<Switch, HTMLLabelElement>();

  constructor(form: HTMLElement, onChange: (change: Partial<Settings>) => void) {
    form.addEventListener('submit', (event) => event.preventDefault());
    for (const entry of SWITCHES) {
      const { name, label, text } = entry;
      const options = CHOICES[name].map((value) => make('option', { value: String(value) }, text(String(value))));
      const select = make('select', { name, disabled: options.length === 1 }, ...options);
      if (options.length === 1 && !isIsolated)
        select.title = 'Needs a page that is cross-origin isolated, so that workers can share memory';
      select.addEventListener('change', () => onChange({ [name]: CHOICES[name][select.selectedIndex] }));
      const element = make('label', {}, label, select);
      this.#selects.set(name, select);
      this.#labels.set(entry, element);
      form.append(element);
    }
  }

  show(settings: Settings, kind: 'scene' | 'model'): void {
    for (const [name, select] of this.#selects) select.value = String(settings[name]);
    for (const [{ only }, label] of this.#labels) label.hidden = only !== undefined && only !== kind;
  }
}
