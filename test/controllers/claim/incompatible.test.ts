import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { whyResourceIncompatible } from '../../../controllers/claim/incompatible.ts';
import type { ClaimService } from '../../../controllers/claim-service.ts';
import { claim, managed, service } from '../objects.ts';

const showing: ClaimService = { ...service, whyIncompatible: (_claim, offered) => JSON.stringify(offered) };

/** The values that a claim is compared with. */
const offeredBy = (spec: Managed['spec'], status: object): unknown =>
  JSON.parse(whyResourceIncompatible(showing, claim(), managed(spec, { status })) ?? '');

describe('a claim is compared with', () => {
  const spec = { initProvider: { version: '14', zone: 'a' }, forProvider: { version: '15' } };
  const rows: Readonly<Record<string, readonly [status: object, offered: object]>> = {
    'the spec of a resource that was not observed': [{}, { version: '15', zone: 'a' }],
    'the observed value, which may not be that of the spec': [
      { atProvider: { version: '16.4' } },
      { version: '16.4', zone: 'a' },
    ],
    'an observed value in the status itself': [{ version: '16.4' }, { version: '16.4', zone: 'a' }],
    'the recorded value, because an edit of it has no effect': [
      { atProvider: { version: '16.4' }, externalIdentity: '{"fields":{"version":"16"}}' },
      { version: '16', zone: 'a' },
    ],
    'no field that the controllers write': [
      { bindingPhase: 'Unbound', conditions: [], observedGeneration: 1 },
      { version: '15', zone: 'a' },
    ],
  };
  for (const [name, [status, offered]] of Object.entries(rows)) {
    test(name, () => assert.deepEqual(offeredBy(spec, status), offered));
  }
});
