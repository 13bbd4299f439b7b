import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nameInUse } from '../../../controllers/core/external-identity.ts';
import { managed } from './objects.ts';

describe('the external name of a managed resource', () => {
  const annotations = { 'crossplane.io/external-name': 'edited' };
  const rows: Record<string, { metadata: object; is: string | undefined }> = {
    'is the recorded name': {
      metadata: { annotations, status: { externalIdentity: '{"name":"made","fields":{}}' } },
      is: 'made',
    },
    'is that of the annotation if no name is recorded': { metadata: { annotations }, is: 'edited' },
    'is undefined if there is neither': { metadata: {}, is: undefined },
    'where the record has none, too': {
      metadata: { annotations, status: { externalIdentity: '{"fields":{}}' } },
      is: 'edited',
    },
    'and where that is none': {
      metadata: { annotations, status: { externalIdentity: 'no JSON' } },
      is: 'edited',
    },
    'also one that names no text': {
      metadata: { annotations, status: { externalIdentity: '{"name":7}' } },
      is: 'edited',
    },
  };
  for (const [what, { metadata, is }] of Object.entries(rows)) {
    test(what, () => assert.equal(nameInUse(managed({}, metadata)), is));
  }
});
