// Progress events of requests and file readers. https://xhr.spec.whatwg.org/#interface-progressevent

export class ProgressEvent extends Event {
  readonly lengthComputable: boolean;
  readonly loaded: number;
  readonly total: number;

  constructor(type: string, init: ProgressEventInit = {}) {
    super(type, init);
    this.lengthComputable = Boolean(init.lengthComputable);
    this.loaded = Number(init.loaded ?? 0);
    this.total = Number(init.total ?? 0);
  }
}
