// Random programs of API calls for the model test.
import * as fc from 'fast-check';
import { BUFFERS, SINGLE_SAMPLED, slotsOf, TEXTURES, type Call, type Step } from './model.calls';
import { boxOf, dataSlot, list, one, partOf, record, seed, upTo } from './model.commands';

const writeBuffer: fc.Arbitrary<Call> = fc
  .oneof({ weight: 5, arbitrary: dataSlot }, { weight: 1, arbitrary: one(...slotsOf('args', 'read')) })
  .chain((buffer) => {
    return partOf(buffer).chain(({ at, bytes }) =>
      record<Call & { call: 'writeBuffer' }>({
        call: fc.constant('writeBuffer'),
        buffer: fc.constant(buffer),
        at: fc.constant(at),
        words: fc.constant(bytes / 4),
        seed,
        scribble: fc.boolean(),
      })
    );
  });
const writeTexture: fc.Arbitrary<Call> = one(...SINGLE_SAMPLED).chain((texture) =>
  boxOf(texture).chain((box) =>
    record<Call & { call: 'writeTexture' }>({
      call: fc.constant('writeTexture'),
      texture: fc.constant(texture),
      box: fc.constant(box),
      seed,
      scribble: fc.boolean(),
    })
  )
);
const submit: fc.Arbitrary<Call> = record<Call & { call: 'submit' }>({
  call: fc.constant('submit'),
  lists: fc.array(list, { minLength: 1, maxLength: 3 }),
});
const mappable = one(...slotsOf('upload', 'read'));
const on = (call: 'unmap' | 'destroy buffer', slot: fc.Arbitrary<number>): fc.Arbitrary<Call> =>
  slot.map((buffer): Call => ({ call, buffer }));
const anyBuffer = upTo(BUFFERS.length - 1);
const anyTexture = upTo(TEXTURES.length - 1);
const use: fc.Arbitrary<Call> = fc.tuple(mappable, seed).map(([buffer, s]): Call => ({ call: 'use', buffer, seed: s }));

const simpleCalls = [
  { weight: 10, arbitrary: writeBuffer },
  { weight: 3, arbitrary: writeTexture },
  { weight: 16, arbitrary: submit },
  { weight: 3, arbitrary: list.map((each): Call => ({ call: 'encode', list: each })) },
  { weight: 3, arbitrary: fc.constant<Call>({ call: 'submit kept' }) },
  { weight: 4, arbitrary: use },
  { weight: 8, arbitrary: on('unmap', mappable) },
  { weight: 2, arbitrary: fc.constant<Call>({ call: 'onSubmittedWorkDone' }) },
  { weight: 1, arbitrary: on('destroy buffer', anyBuffer) },
  { weight: 1, arbitrary: anyTexture.map((texture): Call => ({ call: 'destroy texture', texture })) },
  { weight: 5, arbitrary: fc.constant<Call>({ call: 'replace what is destroyed' }) },
  {
    weight: 3,
    arbitrary: record<Call & { call: 'new buffer' }>({
      call: fc.constant('new buffer'),
      buffer: anyBuffer,
      destroys: fc.boolean(),
      mapped: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: record<Call & { call: 'new texture' }>({
      call: fc.constant('new texture'),
      texture: anyTexture,
      destroys: fc.boolean(),
    }),
  },
] as const;
const mapAsync: fc.Arbitrary<Call> = mappable.chain((buffer) =>
  fc
    .tuple(
      partOf(buffer),
      fc.boolean(),
      one([], ['use'], ['use', 'unmap'], ['use', 'unmap'], ['use', 'unmap'], ['use', 'unmap'], ['unmap']),
      fc.array(fc.oneof(...simpleCalls), { maxLength: 2 })
    )
    .map(([{ at, bytes }, whole, own, others]): Call => {
      const range = whole ? { at: 0, bytes: BUFFERS[buffer]!.size } : { at: at & ~7, bytes };
      return {
        call: 'mapAsync',
        buffer,
        ...range,
        then: [
          ...own.map((each): Call => (each === 'use' ? { call: 'use', buffer, seed: at } : { call: 'unmap', buffer })),
          ...others,
        ],
      };
    })
);
const call: fc.Arbitrary<Call> = fc.oneof(...simpleCalls, { weight: 9, arbitrary: mapAsync });
const wait: fc.Arbitrary<Step> = one<(Step & { call: 'wait' })['for']>(
  'a microtask',
  'a turn',
  'a turn',
  'a turn',
  'a millisecond',
  'the oldest promise',
  'the oldest promise',
  'all promises'
).map((what): Step => ({ call: 'wait', for: what }));

/** A caller's program. Garbage is collected now and then, which takes milliseconds. */
export const program: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 50, arbitrary: call },
    { weight: 12, arbitrary: wait },
    { weight: 1, arbitrary: one<Step>({ call: 'collect garbage' }, { call: 'forget pipelines' }) }
  ),
  { minLength: 1, maxLength: 60, size: 'max' }
);
