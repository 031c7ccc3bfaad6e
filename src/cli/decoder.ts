// What a thread of the command runs that decodes images: one job after the other.
import { parentPort } from 'node:worker_threads';
import { ModelError } from '../gltf/errors';
import { createDecoder, type ImageJob } from '../gltf/image-set';
import type { MipChain } from '../gltf/mips';
import { nodeCodecs } from '../node/codec-wasm';

/** What it answers; a mistake of ours ends the thread instead. */
export type DecoderAnswer = { chains: MipChain[] } | { refused: string };

const decode = createDecoder(nodeCodecs());

async function answer(job: ImageJob): Promise<void> {
  let chains: MipChain[];
  try {
    chains = await decode(job);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    parentPort!.postMessage({ refused: error.message } satisfies DecoderAnswer);
    return;
  }
  // Moved, not copied. The first level of two chains is the same one.
  const buffers = new Set(chains.flatMap(({ levels }) => levels.map(({ data }) => data.buffer as ArrayBuffer)));
  parentPort!.postMessage({ chains } satisfies DecoderAnswer, [...buffers]);
}

parentPort!.on('message', (job: ImageJob) => void answer(job));
