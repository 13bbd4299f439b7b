import isMatch from 'lodash/isMatch.js';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { SecretKeySelector } from '../../../apis/core/v1alpha1/reference.ts';
import { decodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { serviceAccountKeyIn } from '../../fakes/in-process-google-cloud.ts';
import type { InvariantOf, StoredObject } from '../invariant.ts';
import { managedKinds, providerKinds } from '../kinds.ts';
import { providerOfUser } from '../oracle/provider-of-user.ts';
import { credentials, systemOf } from '../workload/inventory.ts';

function secretOf(provider: StoredObject): SecretKeySelector | undefined {
  const { credentials: given, credentialsSecretRef } = (provider.spec ?? {}) as {
    readonly credentials?: { readonly source?: string; readonly secretRef?: SecretKeySelector };
    readonly credentialsSecretRef?: SecretKeySelector;
  };
  return given?.source === 'Secret' ? given.secretRef : credentialsSecretRef;
}

/** Whether a managed resource was found at its last poll. */
const worksNow = ({ metadata, spec, status }: Managed): boolean =>
  metadata.annotations?.['crossplane.io/paused'] !== 'true' &&
  spec.managementPolicies?.length !== 0 &&
  ['Ready', 'Synced'].every((type) => getCondition(status?.conditions, type).status === 'True');

/** The condition Ready of a Provider or ProviderConfig at rest. The tests of provider health prove each step to it. */
export const providersReported: InvariantOf = ({ cluster, planted }) => {
  /** Whether the Secret of a provider has the credentials that its system accepts. */
  function hasRightCredentials(kind: Kind, provider: StoredObject): boolean {
    const { namespace, name, key } = secretOf(provider) ?? {};
    if (namespace === undefined || name === undefined || key === undefined) return false;
    const right: Readonly<Record<string, string>> = credentials[systemOf(kind)];
    const details = decodeDetails(cluster.find(SecretKind, { namespace, name }));
    if (!Object.hasOwn(right, key)) return false;
    // Each process of ours has a key of its own, and the cloud takes those that a scenario brings.
    return systemOf(kind) === 'gcp'
      ? serviceAccountKeyIn(details[key]) !== undefined
      : isMatch(details, right);
  }

  function faultsOf(kind: Kind, provider: StoredObject): readonly string[] {
    const { deletionTimestamp, uid } = provider.metadata;
    if (deletionTimestamp !== undefined || planted.has(uid)) return [];
    const users = managedKinds
      .filter((each) => systemOf(each) === systemOf(kind))
      .flatMap((each) => cluster.all(each) as unknown as readonly Managed[])
      .filter((managed) => providerOfUser(managed) === `${kind.kind}/${provider.metadata.name}`);
    const what = `${kind.kind} ${provider.metadata.name} of ${kind.group}`;
    const { conditions = [] } = (provider.status ?? {}) as { readonly conditions?: readonly Condition[] };
    const ready = conditions.find(({ type }) => type === 'Ready');
    if (ready === undefined) return [`${what} does not say whether it works`];
    const { status, reason, message } = ready;
    // A resource that is paused, or waits for a user, sends no calls.
    const isUsed = users.length === 0 || users.some(worksNow);
    return [
      ...(status === 'False' && isUsed && hasRightCredentials(kind, provider)
        ? [`${what} says ${reason}, and works: ${message}`]
        : []),
      ...(reason === 'Unused' && users.length > 0
        ? [`${what} says that nobody uses it, and ${objectKeyText(users[0]!.metadata)} does`]
        : []),
      ...(reason === 'Pending' && users.length === 0 ? [`${what} waits for a call, and nobody uses it`] : []),
    ];
  }

  return {
    name: 'a provider at rest says whether it works',
    atRest: () =>
      providerKinds.flatMap((kind) =>
        (cluster.all(kind) as readonly StoredObject[]).flatMap((provider) => faultsOf(kind, provider)),
      ),
  };
};
