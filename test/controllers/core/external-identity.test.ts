import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nameInUse } from '../../../controllers/core/external-identity.ts';
import { managed } from './objects.ts';

describe('the external name that a managed resource has something under', () => {
  const annotations = { 'crossplane.io/external-name': 'edited' };
  const rows: Record<string, { metadata: object; is: string | undefined }> = {
    'is that on record': {
      metadata: { annotations, status: { externalIdentity: '{"name":"made","fields":{}}' } },
      is: 'made',
    },
    'else that of its annotation': { metadata: { annotations }, is: 'edited' },
    'or there is none': { metadata: {}, is: undefined },
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
