// Events of pointers and keys, for programs that send them to controls. https://w3c.github.io/uievents/

/** Members of the events, with their defaults. */
const MODIFIERS = { ctrlKey: false, shiftKey: false, altKey: false, metaKey: false, view: null, detail: 0 };
const POINT = { clientX: 0, clientY: 0, screenX: 0, screenY: 0, movementX: 0, movementY: 0, button: 0, buttons: 0 };
const MOUSE = { ...MODIFIERS, ...POINT, relatedTarget: null };
const POINTER = { pointerId: 0, pointerType: '', isPrimary: false, width: 1, height: 1, pressure: 0 };
const KEY = { key: '', code: '', location: 0, repeat: false, isComposing: false };
const WHEEL = { deltaX: 0, deltaY: 0, deltaZ: 0, deltaMode: 0 };

abstract class InputEvent extends Event {
  protected constructor(type: string, init: EventInit, members: object) {
    super(type, init);
    for (const [name, fallback] of Object.entries(members))
      Object.defineProperty(this, name, {
        value: (init as Readonly<Record<string, unknown>>)[name] ?? fallback,
        enumerable: true,
        configurable: true,
      });
  }
}

export class MouseEvent extends InputEvent {
  declare readonly clientX: number;
  declare readonly clientY: number;

  constructor(type: string, init: EventInit = {}, members: object = {}) {
    super(type, init, { ...MOUSE, ...members });
  }
  get x(): number {
    return this.clientX;
  }
  get y(): number {
    return this.clientY;
  }
  /** There is no layout: the page begins at the upper left corner of the window, and so does every element. */
  get pageX(): number {
    return this.clientX;
  }
  get pageY(): number {
    return this.clientY;
  }
  get offsetX(): number {
    return this.clientX;
  }
  get offsetY(): number {
    return this.clientY;
  }
}
export class PointerEvent extends MouseEvent {
  constructor(type: string, init: EventInit = {}) {
    super(type, init, POINTER);
  }
}
export class WheelEvent extends MouseEvent {
  static readonly DOM_DELTA_PIXEL = 0;
  constructor(type: string, init: EventInit = {}) {
    super(type, init, WHEEL);
  }
}
export class KeyboardEvent extends InputEvent {
  constructor(type: string, init: EventInit = {}) {
    super(type, init, { ...MODIFIERS, ...KEY });
  }
}
