import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nameInUse } from '../../controllers/external-identity.ts';
import { managed } from './objects.ts';

describe('the external name of a managed resource', () => {
  const annotations = { 'crossplane.io/external-name': 'edited' };
  const recording = (externalIdentity: string) => ({ annotations, status: { externalIdentity } });
  const rows: Record<string, readonly [metadata: object, is: string | undefined]> = {
    'is the recorded name': [recording('{"name":"made","fields":{}}'), 'made'],
    'is that of the annotation if no name is recorded': [{ annotations }, 'edited'],
    'is undefined if there is neither': [{}, undefined],
    'where the record has none, too': [recording('{"fields":{}}'), 'edited'],
    'and where that is none': [recording('no JSON'), 'edited'],
    'also one that names no text': [recording('{"name":7}'), 'edited'],
  };
  for (const [what, [metadata, is]] of Object.entries(rows)) {
    test(what, () => assert.equal(nameInUse(managed({}, metadata)), is));
  }
});
