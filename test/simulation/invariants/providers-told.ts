import isEqual from 'lodash/isEqual.js';
import isMatch from 'lodash/isMatch.js';
import type { Condition } from '../../../apis/core/v1alpha1/condition.ts';
import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import { kindKey, objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import type { SecretKeySelector } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { serviceAccountKeyIn } from '../../fakes/in-process-google-cloud.ts';
import type { Change, InvariantOf, Seen, StoredObject } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { managedKinds, providerKinds } from '../kinds.ts';
import { leadsAsBefore } from '../oracle/leads-as-before.ts';
import { providerOfUser } from '../oracle/provider-of-user.ts';
import type { System } from '../workload/inventory.ts';
import { credentials, systemOf } from '../workload/inventory.ts';
import { lagMs, stillMs } from './lag.ts';

const systems = Object.keys(credentials) as readonly System[];

/** After so long at most a status that could not be written is tried again. */
const retryMs = 10_000;

/** How long a failure may be reported that no call met again. */
const stillSoMs = 120_000;

/** The external system answered, or did not, without a word about the credentials. */
const troubleReasons = ['NoAnswer', 'Throttled', 'QuotaExceeded', 'Forbidden'];

const readyOf = (object: StoredObject | undefined): Condition | undefined =>
  (object?.status as { readonly conditions?: readonly Condition[] } | undefined)?.conditions?.find(
    ({ type }) => type === 'Ready',
  );

function secretOf(provider: StoredObject): SecretKeySelector | undefined {
  const { credentials: given, credentialsSecretRef } = (provider.spec ?? {}) as {
    readonly credentials?: { readonly source?: string; readonly secretRef?: SecretKeySelector };
    readonly credentialsSecretRef?: SecretKeySelector;
  };
  return given?.source === 'Secret' ? given.secretRef : credentialsSecretRef;
}

/** Whether the secret of a provider holds what its system takes. */
function hasRightCredentials(
  { cluster }: Pick<Seen, 'cluster'>,
  kind: Kind,
  provider: StoredObject,
): boolean {
  const { namespace, name, key } = secretOf(provider) ?? {};
  if (namespace === undefined || name === undefined || key === undefined) return false;
  const secret = cluster.find<Secret>(SecretKind, { namespace, name });
  const right: Readonly<Record<string, string>> = credentials[systemOf(kind)];
  if (secret === undefined || !(key in right)) return false;
  const details = decodeDetails(secret);
  // Each process of ours has a key of its own, and the cloud takes those that a scenario brings.
  return systemOf(kind) === 'gcp' ? serviceAccountKeyIn(details[key]) !== undefined : isMatch(details, right);
}

/** The condition Ready of a Provider or ProviderConfig was true a moment ago. */
export const providersTold: InvariantOf = (world) => {
  const { cluster, scenario } = world;
  const lag = lagMs(scenario) + stillMs(scenario) + retryMs;
  const askedAtMs = new Map<string, number>();
  /** Until when the credentials of a provider were right, and until when they may have been wrong; for ever if they still are. */
  const rightUntilMs = new Map<string, number>();
  const wrongUntilMs = new Map<string, number>();
  const lately = (atMs: number | undefined, ms: number): boolean =>
    atMs !== undefined && world.elapsedMs - atMs <= ms;
  const keyOf = (kind: Kind, { metadata }: StoredObject): string => `${kindKey(kind)}/${metadata.name}`;

  function look(): void {
    for (const kind of providerKinds) {
      for (const provider of cluster.all(kind) as readonly StoredObject[]) {
        const key = keyOf(kind, provider);
        const isRight = hasRightCredentials(world, kind, provider);
        const note = (untilMs: Map<string, number>, holds: boolean): void => {
          if (holds) untilMs.set(key, Number.POSITIVE_INFINITY);
          else if (untilMs.get(key) === Number.POSITIVE_INFINITY) untilMs.set(key, world.elapsedMs);
        };
        note(rightUntilMs, isRight);
        // Elsewhere they may be right, too.
        note(wrongUntilMs, !isRight || !leadsAsBefore(world, kind, provider));
      }
    }
  }

  function ofProvider({ kind, by, before, after }: Change): readonly string[] {
    const [was, is] = [readyOf(before), readyOf(after)];
    if (!isProcess(by) || after === undefined || is === undefined || isEqual(was, is)) return [];
    const key = keyOf(kind, after);
    const system = systemOf(kind);
    const what = `${kind.kind} ${after.metadata.name} of ${kind.group} says ${is.status}/${is.reason}`;
    const wasWrong = lately(wrongUntilMs.get(key), lag + stillSoMs);
    return [
      ...(is.status === 'True' && !lately(askedAtMs.get(system), lag)
        ? [`${what}, and nobody has asked`]
        : []),
      ...(is.status === 'True' && !lately(rightUntilMs.get(key), lag)
        ? [`${what}, and its credentials are wrong`]
        : []),
      ...(is.status === 'False' && !wasWrong && !troubleReasons.includes(is.reason)
        ? [`${what}, and its credentials are right: ${is.message}`]
        : []),
      ...(troubleReasons.includes(is.reason) && !wasWrong && !hasTrouble(scenario)
        ? [`${what}, and everything has answered: ${is.message}`]
        : []),
    ];
  }

  function atRest(kind: Kind, provider: StoredObject): readonly string[] {
    if (provider.metadata.deletionTimestamp !== undefined) return [];
    const users = managedKinds
      .filter((each) => systemOf(each) === systemOf(kind))
      .flatMap((each) => cluster.all(each) as unknown as readonly Managed[])
      .filter((managed) => providerOfUser(managed) === `${kind.kind}/${provider.metadata.name}`);
    const what = `${kind.kind} ${provider.metadata.name} of ${kind.group}`;
    const ready = readyOf(provider);
    if (ready === undefined) return [`${what} does not say whether it works`];
    const { status, reason, message } = ready;
    const isRight = hasRightCredentials(world, kind, provider);
    // A resource that is paused, or waits for a user, sends no calls.
    const isAsked = users.length === 0 || users.some(worksNow);
    return [
      ...(status === 'False' && isRight && isAsked ? [`${what} says ${reason}, and works: ${message}`] : []),
      ...(reason === 'Unused' && users.length > 0
        ? [`${what} says that nobody uses it, and ${objectKeyText(users[0]!.metadata)} does`]
        : []),
      ...(reason === 'Pending' && users.length === 0 ? [`${what} waits for a call, and nobody uses it`] : []),
    ];
  }

  return {
    name: 'a provider says whether it works',
    changed(change) {
      const { kind } = change;
      const isOfProvider = providerKinds.includes(kind);
      if (isOfProvider || kind === SecretKind) look();
      return isOfProvider ? ofProvider(change) : [];
    },
    asked({ call }) {
      const system = systems.find((each) => call.includes(` ${each} `));
      if (system !== undefined) askedAtMs.set(system, world.elapsedMs);
      return [];
    },
    atRest: () =>
      providerKinds.flatMap((kind) =>
        (cluster.all(kind) as readonly StoredObject[]).flatMap((provider) => atRest(kind, provider)),
      ),
  };
};

/** Whether a managed resource was found at its last poll. */
const worksNow = ({ metadata, spec, status }: Managed): boolean =>
  metadata.annotations?.['crossplane.io/paused'] !== 'true' &&
  spec.managementPolicies?.length !== 0 &&
  ['Ready', 'Synced'].every((wanted) =>
    status?.conditions?.some((condition) => condition.type === wanted && condition.status === 'True'),
  );

/** Whether an external system may fail to answer, or a process that stood still may not have heard it in time. */
const hasTrouble = ({ steps, faults }: Seen['scenario']): boolean =>
  Object.keys(faults).length > 0 || steps.some(({ act }) => act.type === 'outage' || act.type === 'freeze');
