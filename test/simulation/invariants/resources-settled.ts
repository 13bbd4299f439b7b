import attempt from 'lodash/attempt.js';
import isError from 'lodash/isError.js';
import type { Kind, KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerUid } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { decodeDetails, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { StoreConfig } from '../../../apis/core/v1alpha1/store-config.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import { FavouriteDBInstanceKind } from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import * as fcp from '../../../apis/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceKind } from '../../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import * as ocp from '../../../apis/ocp/v1alpha1/provider.ts';
import type { Call, Change, InvariantOf, Seen } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { managedKinds } from '../kinds.ts';
import type { Database } from '../oracle/expected-resource.ts';
import { faultsOf } from '../oracle/expected-resource.ts';
import { recordedName } from '../oracle/recorded-name.ts';
import { isTakenFrom } from '../oracle/taken-secret.ts';

const databaseKinds: readonly { readonly kind: Kind; readonly provider: Kind; readonly config: Kind }[] = [
  { kind: FavouriteDBInstanceKind, provider: fcp.ProviderKind, config: fcp.ProviderConfigKind },
  { kind: AmbivalentDBInstanceKind, provider: ocp.ProviderKind, config: ocp.ProviderConfigKind },
];

interface SecretKeyRef {
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** What a Provider, or a ProviderConfig, says of credentials. */
interface ProviderLike extends KubernetesObject {
  readonly spec: {
    readonly credentialsSecretRef?: SecretKeyRef;
    readonly credentials?: { readonly source: string; readonly secretRef?: SecretKeyRef };
  };
}

/** Which provider it uses: an optional one that did not exist was passed over, which is on record. */
function providerNamed({ metadata, spec }: Managed): readonly [kind: string, name: string] {
  const { providerConfigRef, providerRef } = spec;
  const resolved = metadata.annotations?.[annotationKeys.resolvedProvider];
  if (resolved !== undefined && providerConfigRef?.policy?.resolution === 'Optional') {
    const [kind = '', name = ''] = resolved.split('/');
    return [kind, name];
  }
  if (providerConfigRef?.name !== undefined) return ['ProviderConfig', providerConfigRef.name];
  return providerRef?.name === undefined ? ['ProviderConfig', 'default'] : ['Provider', providerRef.name];
}

/** The databases that a resource's provider leads to. */
function databasesOf(
  { cluster, clouds }: Pick<Seen, 'cluster' | 'clouds'>,
  managed: Managed,
  { provider, config }: (typeof databaseKinds)[number],
): readonly Database[] | undefined {
  const [kind, name] = providerNamed(managed);
  const found = cluster.find(kind === 'Provider' ? provider : config, { name }) as ProviderLike | undefined;
  const { credentials, credentialsSecretRef } = found?.spec ?? {};
  // Variables, files and other places hold nothing here.
  const at = credentials?.source === 'Secret' ? credentials.secretRef : credentialsSecretRef;
  const held = at && decodeDetails(cluster.find(SecretKind, at))[at.key];
  if (held === undefined) return undefined;
  const parsed = attempt(() => JSON.parse(held) as { readonly url?: string; readonly token?: string });
  const { url, token } = isError(parsed) ? {} : parsed;
  const cloud = Object.values(clouds).find((each) => each.url === url && each.token === token);
  return cloud?.instances().map(({ item }) => item);
}

const ownerUidLabel = 'secret.crossplane.io/owner-uid';

/**
 * Where a resource is to publish, as `namespace/name`, if another that is there has it: of two that name one place the
 * second has none. A backup brings back entries of secret stores that bear the former UID of their own resource. So does
 * who has an entry made as a secret of a type of his own, which nobody watches: it stays once nothing is published there.
 */
function takenFrom({ cluster, vault, restored }: Seen, managed: Managed): string | undefined {
  const { metadata, spec } = managed;
  const isThere = (uid: string): boolean => cluster.objects().some((each) => each.metadata.uid === uid);
  const { writeConnectionSecretToRef: to, publishConnectionDetailsTo: published } = spec;
  if (to !== undefined && isTakenFrom(managed, to, cluster)) return `${to.namespace}/${to.name}`;
  if (published === undefined) return undefined;
  const name = published.configRef?.name ?? 'default';
  const config = cluster.find(StoreConfigKind, { name }) as StoreConfig | undefined;
  if (config === undefined) return undefined;
  const { type, defaultScope } = config.spec;
  const place = { namespace: defaultScope, name: published.name };
  const path = `${place.namespace}/${place.name}`;
  const secret = type === 'Vault' ? undefined : (cluster.find(SecretKind, place) as Secret | undefined);
  const labels = type === 'Vault' ? vault.peek(path)?.customMetadata : secret?.metadata.labels;
  const owner = (labels as Readonly<Record<string, string>> | undefined)?.[ownerUidLabel];
  if (owner === undefined || owner === metadata.uid) return undefined;
  const isUnwatched = secret !== undefined && secret.type !== connectionSecretType;
  return isThere(owner) || restored.has(metadata.uid ?? '') || isUnwatched ? path : undefined;
}

/** Secrets of whose password nobody of ours can know that it is wrong. */
interface Excused {
  note(change: Change): void;
  called?(call: Call): void;
  has(secret: KubernetesObject): boolean;
}

/** What managed resources stand for, by UID. */
type Names = ReadonlyMap<string | undefined, string>;

const passwordIn = (secret: KubernetesObject | undefined) => decodeDetails(secret as Secret).password;

/**
 * Secrets that a resource took over from a former one of its name that stood for something else: who published them ended
 * before it could remove them, and no garbage collector had come by. docs/reliability.md says so.
 */
function leftByFormer(world: Pick<Seen, 'running'>, names: Names): Excused {
  /** Who created secrets, by UID. */
  const makers = new Map<string | undefined, string>();
  const uids = new Set<string | undefined>();
  return {
    note({ by, kind, before, after }) {
      if (kind !== SecretKind || after === undefined) return;
      const { uid } = after.metadata;
      if (before === undefined) makers.set(uid, by);
      if (passwordIn(before) !== passwordIn(after)) uids.delete(uid);
      const [former, owner] = [before && controllerUid(before), controllerUid(after)];
      if (before === undefined || former === undefined || former === owner || !isProcess(by)) return;
      const isAnother = names.has(former) && names.get(former) !== names.get(owner);
      if (isAnother && !world.running.includes(makers.get(uid) ?? '')) uids.add(uid);
    },
    has: ({ metadata: { uid } }) => uids.has(uid),
  };
}

/** UIDs of secrets whose password is somebody's word: he put it where none had been published, and nobody knew any. */
function wordsOfSomebody(): Excused {
  const uids = new Set<string | undefined>();
  return {
    note({ by, kind, before, after }) {
      if (kind !== SecretKind || after === undefined || passwordIn(before) === passwordIn(after)) return;
      const { uid, annotations } = after.metadata;
      const isPublished = (annotations?.['crossplane.io/published-details'] ?? '').includes('"password"');
      const isAdded = before !== undefined && passwordIn(before) === undefined;
      if (isProcess(by) || !isAdded || isPublished) uids.delete(uid);
      else uids.add(uid);
    },
    has: ({ metadata: { uid } }) => uids.has(uid),
  };
}

/**
 * Secrets with the password of what their process had made and could not publish, while another process, which runs by
 * mistake, had it made anew already, for somebody had deleted it outside. docs/reliability.md says so.
 */
function madeAnewByAnother(world: Pick<Seen, 'clouds'>, names: Names): Excused {
  /** Who made what has a name in a cloud, in order. */
  const makers = new Map<string, readonly string[]>();
  const known = new Set<string>();
  const uids = new Set<string | undefined>();
  return {
    called({ by, verb }) {
      if (verb !== 'POST') return;
      for (const [system, cloud] of Object.entries(world.clouds)) {
        for (const { item } of cloud.instances()) {
          if (known.has(item.uuid)) continue;
          known.add(item.uuid);
          const place = `${system} ${item.name}`;
          makers.set(place, [...(makers.get(place) ?? []), by]);
        }
      }
    },
    note({ by, kind, before, after }) {
      if (kind !== SecretKind || after === undefined || passwordIn(before) === passwordIn(after)) return;
      const { uid } = after.metadata;
      uids.delete(uid);
      const name = names.get(controllerUid(after));
      const isOvertaken = [...makers].some(
        ([place, made]) => place.endsWith(` ${name}`) && made.includes(by) && made.at(-1) !== by,
      );
      if (isOvertaken && passwordIn(before) === undefined) uids.add(uid);
    },
    has: ({ metadata: { uid } }) => uids.has(uid),
  };
}

/**
 * Secrets with a password that their process has set while another one ran beside it by mistake and set another, whose
 * request was carried out after that, and which ended before it was answered. docs/decisions/0029 says so.
 */
function setByAnotherLast(world: Pick<Seen, 'clouds' | 'running' | 'elapsedMs'>, names: Names): Excused {
  /** Who set the passwords of what has a name in a cloud, in order, and who ran then. */
  const setters = new Map<
    string,
    readonly {
      readonly by: string;
      readonly password: string;
      readonly sentAtMs: number;
      readonly running: readonly string[];
    }[]
  >();
  const published = new Map<string | undefined, { readonly by: string; readonly atMs: number }>();
  return {
    called({ by, system, sentAtMs }) {
      const cloud = Object.entries(world.clouds).find(([name]) => name === system)?.[1];
      for (const { item } of cloud?.instances() ?? []) {
        const before = setters.get(item.name) ?? [];
        const { password } = item;
        if (password === undefined || before.at(-1)?.password === password) continue;
        setters.set(item.name, [...before, { by, password, sentAtMs, running: [...world.running] }]);
      }
    },
    note({ by, kind, before, after }) {
      if (kind !== SecretKind || after === undefined || passwordIn(before) === passwordIn(after)) return;
      published.set(after.metadata.uid, { by, atMs: world.elapsedMs });
    },
    has(secret) {
      const word = published.get(secret.metadata.uid);
      const all = setters.get(names.get(controllerUid(secret)) ?? '') ?? [];
      const last = all.at(-1);
      const own = all.findLast(({ by, password }) => by === word?.by && password === passwordIn(secret));
      if (word === undefined || last === undefined || own === undefined) return false;
      const ranBeside = last.by !== word.by && own.running.includes(last.by);
      return ranBeside && last.sentAtMs <= word.atMs && !world.running.includes(last.by);
    },
  };
}

export const resourcesSettled: InvariantOf = (world) => {
  const names = new Map<string | undefined, string>();
  const excused = [
    wordsOfSomebody(),
    leftByFormer(world, names),
    madeAnewByAnother(world, names),
    setByAnotherLast(world, names),
  ];
  return {
    name: 'a managed resource at rest is what is outside, and says so',
    changed(change) {
      const { kind, after } = change;
      if (after !== undefined && managedKinds.includes(kind))
        names.set(after.metadata.uid, recordedName(after as unknown as Managed));
      for (const each of excused) each.note(change);
      return [];
    },
    called(call) {
      for (const each of excused) each.called?.(call);
      return [];
    },
    atRest: () =>
      databaseKinds.flatMap((of) =>
        (world.cluster.all(of.kind) as unknown as readonly Managed[])
          .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
          .flatMap((managed) => {
            const { metadata, spec, status } = managed;
            const to = spec.writeConnectionSecretToRef;
            const found = to && world.cluster.find(SecretKind, to);
            const secret = found && controllerUid(found) === metadata.uid ? found : undefined;
            const databases = databasesOf(world, managed, of);
            const wrong = faultsOf(managed, { databases, secret, taken: takenFrom(world, managed) });
            // A password that came out of a backup may be older than what is outside, and clouds tell none.
            const isRestored = world.restored.has(metadata.uid ?? '');
            const isExcused = secret !== undefined && excused.some((each) => each.has(secret));
            const faults = wrong.filter(
              (fault) => !((isRestored || isExcused) && fault.startsWith('the password')),
            );
            const isTold = status?.observedGeneration === metadata.generation;
            return [
              ...faults,
              ...(isTold
                ? []
                : [`it has observed generation ${status?.observedGeneration} of ${metadata.generation}`]),
            ].map((fault) => `${of.kind.kind} ${metadata.name}: ${fault}`);
          }),
      ),
  };
};
