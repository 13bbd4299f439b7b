import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ManagedSpec, ManagedStatus } from '../../apis/core/v1alpha1/managed.ts';
import { controllerReference, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import type { ConnectionDetails } from '../../apis/core/v1alpha1/secret.ts';
import { allowsPropagationTo, encodeDetails, propagatesFrom } from '../../apis/core/v1alpha1/secret.ts';
import { decideBinding } from '../../controllers/claim-binding/decide.ts';
import { secretFacts } from '../../controllers/claim-binding/observe-secrets.ts';
import type { CredentialNote, SecretDetails } from '../../controllers/credential.ts';
import {
  credentialAnnotation,
  encodeNote,
  generatedPassword,
  hmacOf,
  storedIn,
  whyNotUsable,
} from '../../controllers/credential.ts';
import { decideCredential, whyCredentialStays } from '../../controllers/managed/run/decide-credential.ts';
import { decidePropagation } from '../../controllers/secret-propagation/decide.ts';
import { entryOf, factsAbout, kindFacts } from './managed-facts.ts';
import { finalizers } from './managed-scene.ts';
import { claim, claimRef, managed, resourceRef, secretOf, service } from './objects.ts';

/*
 * Whether something is secret depends on what a Secret holds. The policies say what the controllers may change. Each
 * situation is tried with all policies, and all checks of secrecy answer: binding, propagation, and the managed run.
 */

const to = { namespace: 'system', name: 'src' };
const key = 'a2V5';
const uid = 'managed-uid';
const recordOf = (password: string) => ({ hmac: hmacOf(password, { key }, uid), pending: false });
const me = claim(
  { resourceRef: resourceRef('db'), writeConnectionSecretToRef: { name: 'conn' } },
  { finalizers: ['finalizer.resourceclaim.crossplane.io'], status: { bindingPhase: 'Bound' } },
);
const mine = 'FancySQLInstance team/orders';
const generated: SecretDetails = { credential: generatedPassword };
const reported: SecretDetails = { reportsSecrets: true };

interface Policy {
  readonly spec?: ManagedSpec;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly isObserveOnly?: true;
}

/** `all`: the controllers may replace a credential. `create`: they may only set one. `none`: neither. */
const policies = {
  all: {
    '["*"]': { spec: { managementPolicies: ['*'] } },
    'no policies': {},
    '["Observe", "Update"]': { spec: { managementPolicies: ['Observe', 'Update'] } },
    'deletionPolicy Orphan': { spec: { deletionPolicy: 'Orphan' } },
    'reclaimPolicy Retain': { spec: { reclaimPolicy: 'Retain' } },
    'the annotation that pauses': { annotations: { 'crossplane.io/paused': 'true' } },
    '--observe-only': { isObserveOnly: true },
  },
  create: { '["Observe", "Create"]': { spec: { managementPolicies: ['Observe', 'Create'] } } },
  none: {
    '["Observe"]': { spec: { managementPolicies: ['Observe'] } },
    '["Observe", "LateInitialize"]': { spec: { managementPolicies: ['Observe', 'LateInitialize'] } },
    '["Observe", "Delete"]': { spec: { managementPolicies: ['Observe', 'Delete'] } },
    '[]': { spec: { managementPolicies: [] } },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Policy>>>>;
type Group = keyof typeof policies;

interface Situation {
  readonly details?: ConnectionDetails;
  readonly note?: Omit<CredentialNote, 'key'>;
  readonly record?: ManagedStatus['credential'];
  readonly kind?: SecretDetails;
}

interface Answers {
  readonly usable: ReturnType<typeof whyNotUsable> | 'yes';
  /** The next decision about the credential of the resource. */
  readonly run: string | undefined;
}

const owner = { password: 'p', endpoint: 'db' };
const of = (usable: Answers['usable'], run?: string): Answers => ({ usable, run });
const always = (answers: Answers) => ({ all: answers, create: answers, none: answers });

const situations: Readonly<Record<string, readonly [Situation, Readonly<Record<Group, Answers>>]>> = {
  'the credential of another claim': [
    { details: owner, note: { for: 'FancySQLInstance other/orders' }, record: recordOf('p') },
    {
      all: of('CredentialOfAnotherClaim', 'ReplaceCredential'),
      create: of('CredentialOfAnotherClaim', 'CredentialCannotChange'),
      none: of('CredentialOfAnotherClaim', 'CredentialCannotChange'),
    },
  ],
  'the credential of an unknown claim': [
    { details: owner, note: { for: 'unknown' }, record: recordOf('p') },
    {
      all: of('CredentialOfAnotherClaim', 'ReplaceCredential'),
      create: of('CredentialOfAnotherClaim', 'CredentialCannotChange'),
      none: of('CredentialOfAnotherClaim', 'CredentialCannotChange'),
    },
  ],
  'an entry of another claim that contains its credential': [
    { details: { uri: 'postgresql://a:p@db' }, note: { for: 'FancySQLInstance other/orders' } },
    {
      all: of('CredentialOfAnotherClaim', 'GenerateCredential'),
      create: of('CredentialOfAnotherClaim', 'GenerateCredential'),
      none: of('CredentialOfAnotherClaim', 'CredentialCannotChange'),
    },
  ],
  'reported secrets of another claim': [
    { details: owner, note: { for: 'FancySQLInstance other/orders' }, kind: reported },
    always(of('CredentialOfAnotherClaim', 'CredentialCannotChange')),
  ],
  'the credential of the claim, which was set': [
    { details: owner, note: { for: mine }, record: recordOf('p') },
    always(of('yes')),
  ],
  'a credential that was edited': [
    { details: owner, note: { for: mine }, record: recordOf('before') },
    always(of('CredentialNotApplied')),
  ],
  'no Secret, after it was deleted': [
    { record: recordOf('before') },
    {
      all: of('CredentialMissing', 'GenerateCredential'),
      create: of('CredentialMissing', 'GenerateCredential'),
      none: of('CredentialMissing'),
    },
  ],
  'a Secret that was deleted and has an address again': [
    { details: { endpoint: 'db' }, record: recordOf('before') },
    {
      all: of('CredentialForNoClaim', 'GenerateCredential'),
      create: of('CredentialForNoClaim', 'GenerateCredential'),
      none: of('CredentialForNoClaim'),
    },
  ],
  'a generated credential that was never set': [
    { details: owner, note: { for: mine } },
    always(of('CredentialNotApplied')),
  ],
  'a credential that a person gave for an import': [
    { details: owner, note: { for: mine, given: true } },
    { all: of('CredentialNotApplied'), create: of('CredentialNotApplied'), none: of('yes') },
  ],
  'a credential that a person gave, after the controllers set another one': [
    { details: owner, note: { for: mine, given: true }, record: recordOf('before') },
    always(of('CredentialNotApplied')),
  ],
  'a credential without a note': [{ details: owner }, always(of('CredentialForNoClaim', 'AdoptSecret'))],
  'a credential that was set, and whose note was removed': [
    { details: owner, record: recordOf('p') },
    always(of('CredentialForNoClaim', 'AdoptSecret')),
  ],
  'reported secrets without a note': [
    { details: owner, kind: reported },
    always(of('CredentialForNoClaim', 'AdoptSecret')),
  ],
  'only an address': [
    { details: { endpoint: 'db', port: '5432' } },
    {
      all: of('CredentialForNoClaim', 'GenerateCredential'),
      create: of('CredentialForNoClaim', 'GenerateCredential'),
      none: of('yes'),
    },
  ],
  'an address of a kind without secrets': [{ details: { endpoint: 'db' }, kind: {} }, always(of('yes'))],
};

function answersOf({ details, note, record, kind = generated }: Situation, policy: Policy) {
  const status = (bindingPhase: 'Bound' | 'Unbound'): ManagedStatus => ({
    bindingPhase,
    boundUID: uid,
    ...(record && { credential: record }),
  });
  const resource = (phase: 'Bound' | 'Unbound') =>
    managed(
      { writeConnectionSecretToRef: to, claimRef: claimRef(), namespaceSelector: {}, ...policy.spec },
      { finalizers, status: status(phase), ...(policy.annotations && { annotations: policy.annotations }) },
    );
  const bound = resource('Bound');
  const source =
    details &&
    secretOf(
      {
        ...to,
        ownerReferences: [controllerReference(bound)],
        annotations: {
          ...allowsPropagationTo({ namespace: 'team', name: 'conn' }),
          ...(note && { [credentialAnnotation]: encodeNote({ key, ...note }) }),
        },
      },
      { data: encodeDetails(details) },
    );
  const stored = source && storedIn(source);
  const target = secretOf(
    {
      namespace: 'team',
      name: 'conn',
      ownerReferences: [controllerReference(me)],
      annotations: propagatesFrom(to),
    },
    { data: encodeDetails({ password: 'earlier' }) },
  );
  const unbound = resource('Unbound');
  const secrets = secretFacts({
    claim: me,
    managed: unbound,
    secretDetails: kind,
    source,
    stored,
    target: undefined,
    isTargetStored: false,
    controlled: [],
    resourceClass: undefined,
  });
  const binding = decideBinding({
    claim: me,
    services: [service],
    service,
    created: [],
    owned: [unbound],
    named: undefined,
    managed: unbound,
    secrets,
  });
  const run = factsAbout(bound, {
    kind: { ...kindFacts, secretDetails: kind, isObserveOnly: policy.isObserveOnly ?? false },
    place: stored === undefined ? {} : { entry: entryOf(stored) },
  });
  return {
    usable: whyNotUsable(bound, stored, referenceTo(me), kind) ?? 'yes',
    run: decideCredential(run)?.name ?? (whyCredentialStays(run) && 'CredentialCannotChange'),
    isBound: binding.name === 'Bind',
    isCopied:
      decidePropagation({
        isServed: true,
        secretDetails: kind,
        target,
        source,
        claim: me,
        managed: bound,
        resourceClass: undefined,
      }).name === 'CopySecret',
  };
}

for (const [situation, [given, wanted]] of Object.entries(situations)) {
  describe(`if the Secret holds ${situation}`, () => {
    for (const [group, each] of Object.entries(policies)) {
      const { usable, run } = wanted[group as Group];
      const isAllowed = usable === 'yes';
      for (const [name, policy] of Object.entries(each)) {
        test(`the claim ${isAllowed ? 'gets' : 'does not get'} it with ${name}`, () =>
          assert.deepEqual(answersOf(given, policy), {
            usable,
            run,
            isBound: isAllowed,
            isCopied: isAllowed,
          }));
      }
    }
  });
}
