// Script of a thread that decodes images, one job after the other.
import { parentPort } from 'node:worker_threads';
import { ModelError, type GltfErrorCode } from '../../gltf/errors';
import { createDecoder, type ImageJob } from '../../gltf/images/image-set';
import type { MipChain } from '../../gltf/images/mips';
import { nodeCodecs } from '../codec-wasm';

/** Answer to a job. An internal error ends the thread instead. */
export type DecoderAnswer = { chains: MipChain[] } | { refused: string; code: GltfErrorCode };

const decode = createDecoder(nodeCodecs());

async function answer(job: ImageJob): Promise<void> {
  let chains: MipChain[];
  try {
    chains = await decode(job);
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    parentPort!.postMessage({ refused: error.message, code: error.code } satisfies DecoderAnswer);
    return;
  }
  // The buffers are transferred, not copied. Two chains share their first level.
  const buffers = new Set(chains.flatMap(({ levels }) => levels.map(({ data }) => data.buffer as ArrayBuffer)));
  parentPort!.postMessage({ chains } satisfies DecoderAnswer, [...buffers]);
}

parentPort!.on('message', (job: ImageJob) => void answer(job));
