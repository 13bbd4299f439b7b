import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { HandOver } from '../../../../controllers/core/claim-binding/hand-overs.ts';
import { createHandOvers } from '../../../../controllers/core/claim-binding/hand-overs.ts';
import { broken, forbidden } from '../cluster-fake.ts';
import { claim } from '../objects.ts';

const succeeds = async () => {};
const isRefused = () => Promise.reject(forbidden());
const isLost = () => Promise.reject(broken());

interface Try {
  readonly wasMarked?: boolean;
  readonly answer: () => Promise<void>;
}

describe('what a process knows of a hand-over', () => {
  const rows: readonly { readonly name: string; readonly tries: readonly Try[]; readonly is?: HandOver }[] = [
    { name: 'it has not tried: nothing', tries: [] },
    { name: 'it was answered', tries: [{ answer: succeeds }], is: 'given' },
    { name: 'it was refused', tries: [{ answer: isRefused }], is: 'refused' },
    { name: 'it was given no answer', tries: [{ answer: isLost }], is: 'given' },
    {
      name: 'it was given no answer, and then refused',
      tries: [{ answer: isLost }, { answer: isRefused }],
      is: 'given',
    },
    {
      name: 'it was refused more than once, the mark being its own',
      tries: [{ answer: isRefused }, { wasMarked: true, answer: isRefused }],
      is: 'refused',
    },
    {
      name: 'it was refused, and succeeded then',
      tries: [{ answer: isRefused }, { wasMarked: true, answer: succeeds }],
      is: 'given',
    },
    {
      name: 'it was refused, but another may have given it before',
      tries: [{ wasMarked: true, answer: isRefused }],
      is: 'given',
    },
  ];
  for (const { name, tries, is } of rows)
    test(name, async () => {
      const handOvers = createHandOvers();
      for (const { wasMarked = false, answer } of tries) {
        await handOvers.during(claim(), wasMarked, answer).catch(() => {});
      }
      assert.equal(handOvers.of('claim-uid'), is);
      assert.equal(handOvers.of('another'), undefined);
      handOvers.forget('claim-uid');
      assert.equal(handOvers.of('claim-uid'), undefined);
    });

  test('while it lasts, it may have been given', async () => {
    const handOvers = createHandOvers();
    await handOvers.during(claim(), false, async () => assert.equal(handOvers.of('claim-uid'), 'given'));
  });
});
