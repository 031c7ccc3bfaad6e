// A serverless function that renders a model: `handler({ body: BASE64_OF_GLB, size: 512 })`. Events of AWS Lambda have
// this form; other platforms need another first and last line. What the first call loads stays for the next ones.
import { Buffer } from 'node:buffer';
import { renderGltf } from 'rasterloom/gltf';

/** Limits for models that strangers upload. */
const MAX_MODEL_BYTES = 6 * 2 ** 20;
const MAX_SIZE = 1024;

const answer = (statusCode, body, type = 'text/plain') => ({
  statusCode,
  headers: { 'content-type': type },
  body: Buffer.from(body).toString('base64'),
  isBase64Encoded: true,
});

export async function handler({ body = '', size = 512 }) {
  const model = Buffer.from(body, 'base64');
  if (model.length > MAX_MODEL_BYTES) return answer(413, `The model is larger than ${MAX_MODEL_BYTES} bytes`);
  if (!Number.isInteger(size) || size < 1 || size > MAX_SIZE)
    return answer(400, `The size must be a whole number from 1 to ${MAX_SIZE}`);
  try {
    const picture = await renderGltf(model, { width: size, height: size });
    return answer(200, await picture.toPNG(), 'image/png');
  } catch (error) {
    if (error.name !== 'GltfError') throw error;
    // It says what is wrong with the model, for the person who sent it.
    return answer(422, error.message);
  }
}
