// Every rule that the API validates: the message names the object, the rule and the remedy.
import { describe, expect, test } from 'vitest';
import { apiDevice } from './fake';
import { cases } from './validation.cases';

describe('validation', async () => {
  const { device } = await apiDevice();
  test.each(cases)('$name', async ({ run, error }) => {
    device.pushErrorScope('validation');
    run(device);
    const message = (await device.popErrorScope())?.message ?? null;
    if (error === null) expect(message).toBeNull();
    else expect(message).toMatch(error);
  });
});
