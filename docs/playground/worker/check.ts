// Checks shaders while they are typed, in a worker of its own.
import { inspectShader } from 'rasterloom';

export interface CheckRequest {
  readonly id: number;
  readonly code: string;
}
export interface CheckMessage {
  readonly type: 'error' | 'warning' | 'info';
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly offset: number;
  readonly length: number;
}
export interface CheckResponse {
  readonly id: number;
  readonly messages: readonly CheckMessage[];
}

onmessage = async ({ data: { id, code } }: MessageEvent<CheckRequest>) => {
  const report = await inspectShader(code).catch((error: unknown) => ({
    messages: [{ type: 'error' as const, message: String(error), lineNum: 1, linePos: 1, offset: 0, length: 0 }],
  }));
  const messages = report.messages.map(({ type, message, lineNum, linePos, offset, length }) => ({
    type,
    message,
    line: lineNum,
    column: linePos,
    offset,
    length,
  }));
  postMessage({ id, messages } satisfies CheckResponse);
};
