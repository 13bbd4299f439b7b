import type { KubernetesObject } from '../../../apis/core/v1alpha1/kind.ts';
import { objectKeyText } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { connectionSecretType } from '../../../apis/core/v1alpha1/meta.ts';
import { controllerOf, controllerUid } from '../../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../../apis/core/v1alpha1/secret.ts';
import { propagationTargets, SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import type { StoreConfig } from '../../../apis/core/v1alpha1/store-config.ts';
import { StoreConfigKind } from '../../../apis/core/v1alpha1/store-config.ts';
import type { InvariantOf } from '../invariant.ts';
import { isProcess } from '../invariant.ts';
import { claimKinds, managedKinds } from '../kinds.ts';
import { knowing, listedMs } from './lag.ts';

const ours = [...claimKinds, ...managedKinds];

/** After so long a process no longer waits for what it asked for, which may be carried out all the same. */
const givenUpMs = 30_000;

/** Whose a secret is; one in a secret store has no owner, but the UID of one as a label. */
const ownerUid = (secret: Secret): string =>
  controllerUid(secret) ??
  (secret.type === connectionSecretType ? secret.metadata.labels?.['secret.crossplane.io/owner-uid'] : '') ??
  '';

const scopeOf = (config: KubernetesObject): string => (config as StoreConfig).spec.defaultScope;
const namespaceOf = ({ metadata: { namespace = '' } }: Secret): string => namespace;

/** Secrets go with what they are of, and what no claim has gives its secret to nobody. */
export const nothingLeft: InvariantOf = (world) => {
  const { cluster } = world;
  /** Who was let go by a process, by UID: that one saw to what it leaves. */
  const finalised = new Map<string, { readonly by: string; readonly atMs: number; readonly what: string }>();
  /**
   * The UIDs of secrets that came later than that, as out of a backup that holds no owner under deletion, or with a
   * request that was under way all the while: in a cluster without a garbage collector they stay. What a process writes
   * into one is of its making again.
   */
  const late = new Set<string>();
  /** Namespaces that a StoreConfig named once, and that one does not name any more: nobody looks after them there. */
  const formerScopes = new Set<string>();
  /** By the UIDs of secrets: which process made it, when, and whether it had given that up by then. */
  const makers = new Map<
    string,
    { readonly by: string; readonly atMs: number; readonly isGivenUp?: boolean }
  >();
  /** Who has looked for secrets by then, and lets their owner go, does not see what another process makes, or what he gave up. */
  const lookedMs = listedMs(world.scenario);
  const knownMs = knowing(world.scenario);
  function noteBeside({ by, atMs }: { readonly by: string; readonly atMs: number }, owner: string): void {
    for (const secret of cluster.all(SecretKind)) {
      const { uid = '' } = secret.metadata;
      const maker = makers.get(uid);
      const isUnseen = maker !== undefined && (maker.by !== by || maker.isGivenUp === true);
      const isBeside = isUnseen && atMs - maker.atMs < lookedMs;
      if (isBeside && ownerUid(secret) === owner) late.add(uid);
    }
  }
  return {
    name: 'nothing is left of what is gone: no secret, and no leave to copy one',
    changed({ by, kind, before, after }) {
      if (after === undefined && isProcess(by) && ours.includes(kind)) {
        const { uid = '', name } = before?.metadata ?? {};
        const going = { by, atMs: world.elapsedMs, what: `${kind.kind} ${name}` };
        finalised.set(uid, going);
        noteBeside(going, uid);
      }
      if (kind.kind === StoreConfigKind.kind && before !== undefined) {
        const [was, is] = [scopeOf(before), after && scopeOf(after)];
        if (was !== is) formerScopes.add(was);
      }
      if (kind.kind === 'Secret' && after !== undefined) {
        const { uid = '' } = after.metadata;
        if (isProcess(by) && before === undefined) makers.set(uid, { by, atMs: world.elapsedMs });
        if (isProcess(by)) late.delete(uid);
        else if (before === undefined && finalised.has(ownerUid(after as Secret))) late.add(uid);
      }
      return [];
    },
    /**
     * Who lets something go sees to what he has asked for himself, unless he has given it up. Another process asks for
     * it until it knows, and no precondition keeps what is created, or given a new owner, from coming after that has gone.
     */
    called({ by, verb, about, sentAtMs, isRefused }) {
      if ((verb !== 'create' && verb !== 'update') || about?.kind !== SecretKind || isRefused) return [];
      const secret = cluster.find(SecretKind, about.key);
      const { uid = '' } = secret?.metadata ?? {};
      const isGivenUp = world.elapsedMs - sentAtMs >= givenUpMs;
      const maker = makers.get(uid);
      if (verb === 'create' && maker?.by === by && isGivenUp) makers.set(uid, { ...maker, isGivenUp });
      const going = secret && finalised.get(ownerUid(secret));
      if (going === undefined) return [];
      const isUnaware = verb === 'create' && by !== going.by && sentAtMs < knownMs(going.atMs);
      if ((isGivenUp && sentAtMs < going.atMs) || isUnaware) late.add(uid);
      return [];
    },
    atRest() {
      const secrets = cluster.all(SecretKind);
      const orphans = secrets
        .filter(({ metadata }) => !late.has(metadata.uid ?? ''))
        .filter((secret) => controllerUid(secret) !== undefined || !formerScopes.has(namespaceOf(secret)))
        .flatMap((secret) => {
          const owner = finalised.get(ownerUid(secret));
          return owner === undefined
            ? []
            : [`secret ${objectKeyText(secret.metadata)} is still there, and ${owner.what} is gone`];
        });
      const free = managedKinds
        .flatMap((kind) => cluster.all(kind) as unknown as readonly Managed[])
        .filter(
          ({ metadata, spec, status }) =>
            metadata.deletionTimestamp === undefined &&
            spec.claimRef === undefined &&
            status?.bindingPhase === 'Released' &&
            // What a process that came late has given leave to is taken back with the next look, which must succeed.
            status.conditions?.some(({ type, status: is }) => type === 'Synced' && is === 'True') === true,
        );
      const open = free.flatMap(({ kind, metadata }) =>
        secrets
          .filter((secret) => controllerOf(secret)?.uid === metadata.uid)
          .flatMap((secret) => propagationTargets(secret))
          .map(
            (target) =>
              `${kind} ${metadata.name} is Released, and gives its secret to ${objectKeyText(target)}`,
          ),
      );
      return [...orphans, ...open];
    },
  };
};
