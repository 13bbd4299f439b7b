import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Claim } from '../../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../../apis/core/v1alpha1/class.ts';
import { parametersNote } from '../../../controllers/claim/claim-parameters.ts';
import { provisionedNames } from '../../../controllers/claim/provisioned-name.ts';
import { adviceToClaim } from '../../../controllers/claim-binding/claim-advice.ts';
import type { ClaimService } from '../../../controllers/claim-service.ts';

const configure = ({ spec }: Claim, { specTemplate }: Class) => ({
  forProvider: {
    engineVersion: (spec as { engineVersion?: string }).engineVersion,
    ...specTemplate.forProvider,
  },
});
const service = { configure } as unknown as ClaimService;
const metadata = { namespace: 'team', name: 'db', uid: 'claim-uid' };
const claim = { apiVersion: 'a/v1', kind: 'Claim', metadata, spec: { engineVersion: '17' } } as Claim;
const classOf = (forProvider: object) =>
  ({ kind: 'SmallClass', metadata: { name: 'small' }, specTemplate: { forProvider } }) as Class;
const error = { advice: ['ChangeFields'], fields: ['spec.forProvider.engineVersion'] };

const adviceWith = (forProvider: object, status: object = {}): string | undefined => {
  const [name = ''] = provisionedNames(claim);
  const annotations = parametersNote(claim);
  const spec = { claimRef: metadata, classRef: { name: 'small' } };
  const managed = { apiVersion: 'a/v1', kind: 'Managed', metadata: { name, annotations }, spec, status };
  return adviceToClaim(service, claim, classOf(forProvider), managed as never, error);
};

test('a refused value of a claim is corrected in the claim, and in its class if that has it too', () => {
  assert.equal(adviceWith({}), 'correct spec.engineVersion of the claim');
  assert.equal(
    adviceWith({ engineVersion: '17' }),
    'correct spec.engineVersion of the claim, and have an administrator correct specTemplate.forProvider.engineVersion of SmallClass small too',
  );
});

test('once an external resource exists, the advice is another claim, with another class if that has the value', () => {
  const status = { externalIdentity: '{"name":"db","fields":{}}' };
  assert.equal(adviceWith({}, status), 'create another claim with another spec.engineVersion');
  assert.equal(
    adviceWith({ engineVersion: '17' }, status),
    'create another claim with another spec.engineVersion and class',
  );
});
