import { setTimeout as sleep } from 'node:timers/promises';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { isCreationIncomplete } from '../../controllers/managed/recording/creation-tracking.ts';
import { apiErrorIn, isAlreadyExists, isNotFound } from '../../runtime/client/errors.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { aloneNumber, changingClass, claimNamed, claimNumber, favouriteClass, isAlone } from './catalogue.ts';
import type { Edits, Intent, Intents } from './intents.ts';
import { intentKey, noEdits } from './intents.ts';
import type { UserAction } from './schedule.ts';
import type { World } from './world.ts';
import { claimKinds, managedKinds, teams } from './world.ts';

/** Users who ask for things at the API server itself, and go on asking until they are answered. */
export interface Users {
  readonly intents: Intents;
  /** Does one thing; resolves when it is done. `pick` from 0 to 1 says to what. */
  act(action: UserAction, pick: number): Promise<void>;
  /** One more claim, of the next kind in turn. */
  createClaim(): Promise<void>;
  make(kind: Kind<KubernetesObject>, object: KubernetesObject): Promise<void>;
  remove(kind: Kind<KubernetesObject>, key: ObjectKey): Promise<void>;
  /**
   * The action of an administrator about creations with an unknown result, as docs/managed-resources.md
   * says, once no process can be working on them.
   */
  clearMarks(managed: readonly Managed[]): Promise<void>;
  /**
   * Deletes every claim, and what was made by hand for no claim. Claims of FancySQL go with their definition, which must
   * end as if each had been deleted.
   */
  deleteAll(): Promise<void>;
}

const limitMs = 180_000;
/** No request of a process lasts longer. */
const forgottenAfterMs = 60_000;

/** Asks until there is an answer that more asking would not change. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (const endMs = performance.now() + limitMs; ; ) {
    try {
      return await ask();
    } catch (error) {
      const code = apiErrorIn(error)?.code ?? 0;
      const isAnswer = code >= 400 && code < 500 && ![409, 429].includes(code) && !isMissingDefinition(error);
      if (isAnswer || performance.now() > endMs) throw error;
      await sleep(200);
    }
  }
}

/** The kind is not served at the moment, or takes no new objects. */
const isMissingDefinition = (error: unknown): boolean => {
  const code = apiErrorIn(error)?.code;
  return code === 405 || (code === 404 && !isNotFound(error));
};

export function users(world: World): Users {
  const { client } = world;
  const claims = new Map<string, Intent>();
  const managed = new Map<string, Intent>();
  const edits = new Map<string, Edits>();
  /** Objects that a user is changing, so that no other user edits an object that is being deleted. */
  const busy = new Set<string>();
  let claimCount = 0;
  let actionCount = 0;

  const create = <T extends KubernetesObject>(kind: Kind<T>, object: T): Promise<unknown> =>
    answered(() => client.create(kind, object).catch(unless(isAlreadyExists)));
  const remove = (kind: Kind<KubernetesObject>, key: ObjectKey): Promise<unknown> =>
    answered(() => client.delete(kind, key, {}).catch(unless(isNotFound)));
  const patch = (kind: Kind<KubernetesObject>, key: ObjectKey, fields: object): Promise<boolean> =>
    answered(() =>
      client.patch(kind, key, fields).then(
        () => true,
        (error: unknown) => unless(isNotFound)(error) ?? false,
      ),
    );

  const intend = (into: Map<string, Intent>, object: KubernetesObject, isWanted: boolean): void => {
    const { namespace, name } = object.metadata;
    const intent = { kind: object.kind, name, ...(namespace !== undefined && { namespace }), isWanted };
    into.set(intentKey(object.kind, object.metadata), intent);
  };
  const edited = (key: string, change: Partial<Edits>): void => {
    const before = edits.get(key) ?? noEdits;
    const merged = Object.entries(change).map(([field, values]) => [
      field,
      { ...before[field as keyof Edits], ...values },
    ]);
    edits.set(key, { ...before, ...Object.fromEntries(merged) });
  };

  /** Chooses a random object that no user is changing, and changes it. */
  async function withOne<T>(
    all: readonly T[],
    by: (one: T) => string,
    pick: number,
    work: (one: T) => Promise<unknown>,
  ) {
    const free = all.filter((each) => !busy.has(by(each))).toSorted((a, b) => by(a).localeCompare(by(b)));
    const one = free[Math.floor(pick * free.length)];
    if (one === undefined) return;
    busy.add(by(one));
    try {
      await work(one);
    } finally {
      busy.delete(by(one));
    }
  }
  const withClaim = (pick: number, work: (intent: Intent, kind: Kind<Claim>) => Promise<unknown>) =>
    withOne(
      [...claims.values()].filter(({ isWanted }) => isWanted),
      (intent) => intentKey(intent.kind, intent),
      pick,
      (intent) => work(intent, claimKinds.find(({ kind }) => kind === intent.kind)!),
    );
  /** A managed resource that is there to stay for now: a claim's, or one made by hand. */
  async function withManaged(pick: number, work: (one: Managed, kind: Kind<Managed>) => Promise<void>) {
    const kinds = managedKinds.filter(({ kind }) => Object.hasOwn(edit, kind));
    const lists = await answered(() => Promise.all(kinds.map((kind) => client.list(kind, {}))));
    const isStaying = ({ kind, metadata, spec }: Managed): boolean => {
      if (metadata.deletionTimestamp !== undefined) return false;
      if (managed.get(intentKey(kind, metadata))?.isWanted) return true;
      const { claimRef } = spec;
      const claim = claimRef && claims.get(intentKey(claimRef.kind ?? '', nameIn(claimRef)));
      return claim?.isWanted === true && !busy.has(intentKey(claim.kind, claim));
    };
    const all = lists.flatMap(({ items }) => items).filter(isStaying);
    const keyOf = ({ kind, metadata }: Managed) => intentKey(kind, metadata);
    await withOne(all, keyOf, pick, (one) => work(one, managedNamed(one.kind)));
  }

  async function createClaim(): Promise<void> {
    claimCount += 1;
    const { kind, claim, byHand } = claimNumber(claimCount, teams[claimCount % teams.length]!);
    if (byHand !== undefined) await make(FavouriteDBInstanceKind, byHand);
    await create(kind, claim);
    intend(claims, claim, true);
  }
  async function make(kind: Kind<KubernetesObject>, object: KubernetesObject): Promise<void> {
    await create(kind, object);
    intend(managed, object, true);
  }
  async function removeMade(kind: Kind<KubernetesObject>, key: ObjectKey): Promise<void> {
    intend(managed, { apiVersion: '', kind: kind.kind, metadata: { ...key } }, false);
    await remove(kind, key);
  }
  const secretOf = ({ namespace = '', name }: Intent) => ({ namespace, name: `${name}-connection` });
  const newPassword = (): string => Buffer.from(world.plant()).toString('base64');
  /** Labels and annotations of a user, in the metadata of an object. */
  const noted = (number: number) => ({
    annotations: { [`chaos.test/note-${number % 5}`]: `note ${number}` },
    labels: { [`chaos.test/label-${number % 5}`]: `label-${number}` },
  });

  const actions: Readonly<Record<UserAction, (pick: number, number: number) => Promise<void>>> = {
    'create claim': createClaim,
    'delete claim': (pick) =>
      withClaim(pick, async (intent, kind) => {
        claims.set(intentKey(intent.kind, intent), { ...intent, isWanted: false });
        await remove(kind, objectKey(intent));
      }),
    'annotate claim': (pick, number) =>
      withClaim(pick, async (intent, kind) => {
        const change = noted(number);
        if (await patch(kind, objectKey(intent), { metadata: change }))
          edited(intentKey(intent.kind, intent), change);
      }),
    'label managed': (pick, number) =>
      withManaged(pick, async (one, kind) => {
        const change = noted(number);
        if (await patch(kind, objectKey(one.metadata), { metadata: change })) {
          edited(intentKey(one.kind, one.metadata), change);
        }
      }),
    'edit spec of managed': (pick, number) =>
      withManaged(pick, async (one, kind) => {
        const forProvider = edit[one.kind]!(number);
        if (await patch(kind, objectKey(one.metadata), { spec: { forProvider } })) {
          edited(intentKey(one.kind, one.metadata), { forProvider });
        }
      }),
    'delete secret of claim': (pick) => withClaim(pick, (intent) => remove(SecretKind, secretOf(intent))),
    'edit secret of claim': (pick) =>
      withClaim(pick, async (intent) => {
        await patch(SecretKind, secretOf(intent), {
          data: { password: newPassword(), extra: newPassword() },
        });
      }),
    'delete secret of managed': (pick) =>
      withManaged(pick, async ({ kind, metadata, spec }) => {
        const to = spec.writeConnectionSecretToRef;
        if (to === undefined) return;
        const key = intentKey(kind, metadata);
        edits.set(key, { ...(edits.get(key) ?? noEdits), secretKeys: {} });
        await remove(SecretKind, objectKey(to));
      }),
    'edit password of managed': (pick) =>
      withManaged(pick, async ({ spec }) => {
        const to = spec.writeConnectionSecretToRef;
        if (to !== undefined) await patch(SecretKind, objectKey(to), { data: { password: newPassword() } });
      }),
    'add key to secret of managed': (pick, number) =>
      withManaged(pick, async ({ kind, metadata, spec }) => {
        const to = spec.writeConnectionSecretToRef;
        if (to === undefined) return;
        const secretKeys = { [`own-${number % 3}`]: newPassword() };
        if (await patch(SecretKind, objectKey(to), { data: secretKeys })) {
          edited(intentKey(kind, metadata), { secretKeys });
        }
      }),
    'edit class': (pick, number) =>
      withOne(['changing'], String, 0, async () => {
        const key = { name: 'favourite-changing' };
        if (pick < 0.3) {
          await remove(FavouriteDBInstanceClassKind, key);
          await sleep(500);
          await create(FavouriteDBInstanceClassKind, changingClass());
        } else {
          await patch(FavouriteDBInstanceClassKind, key, {
            metadata: { labels: { chaos: number % 2 === 0 ? 'small' : 'none' } },
            specTemplate: { forProvider: { fancinessLevel: number % 50 } },
          });
        }
      }),
    'claim before class': async (pick, number) => {
      const labels = { chaos: `late-${number}` };
      const spec = { classSelector: { matchLabels: labels } };
      const claim = claimNamed(FancySQLInstanceKind, teams[0], `late-${number}`, spec);
      await create(FancySQLInstanceKind, claim as never);
      await sleep(pick * 2000);
      await create(FavouriteDBInstanceClassKind, favouriteClass(`late-${number}`, { labels }));
      intend(claims, claim, true);
    },
    'make managed'(_pick, number) {
      const object = aloneNumber(number);
      return make(managedNamed(object.kind), object);
    },
    'delete managed': (pick) =>
      withOne(
        [...managed.values()].filter(({ name, isWanted }) => isWanted && isAlone(name)),
        (intent) => intentKey(intent.kind, intent),
        pick,
        ({ kind, name }) => removeMade(managedNamed(kind), { name }),
      ),
  };

  return {
    intents: { claims, managed, edits },
    async act(action, pick) {
      actionCount += 1;
      await actions[action](pick, actionCount);
    },
    createClaim,
    make,
    remove: removeMade,
    async clearMarks(all) {
      const untilMs = Date.now() - forgottenAfterMs;
      const forgotten = all.filter((each) => {
        const pending = each.metadata.annotations?.[annotationKeys.externalCreatePending];
        return isCreationIncomplete(each) && pending !== undefined && Date.parse(pending) < untilMs;
      });
      for (const { kind, metadata } of forgotten) {
        const annotations = { [annotationKeys.externalCreatePending]: null };
        await patch(managedNamed(kind), objectKey(metadata), { metadata: { annotations } });
      }
    },
    async deleteAll() {
      for (const [key, intent] of claims) {
        if (!intent.isWanted) continue;
        claims.set(key, { ...intent, isWanted: false });
        const kind = claimKinds.find((each) => each.kind === intent.kind)!;
        if (kind.kind !== FancySQLInstanceKind.kind) await remove(kind, objectKey(intent));
      }
      const { plural, group } = FancySQLInstanceKind;
      world.undefinedKinds.add(FancySQLInstanceKind.kind);
      const definition = ['delete', 'crd', `${plural}.${group}`, '--wait=false', '--ignore-not-found'];
      await answered(() => world.controlPlane.kubectl(definition));
      for (const { kind, name, isWanted } of managed.values()) {
        if (isWanted && isAlone(name)) await removeMade(managedNamed(kind), { name });
      }
    },
  };
}

/** The fields of `forProvider` that may change at any time, and their values, by kind. */
const edit: Readonly<Record<string, (number: number) => Edits['forProvider']>> = {
  FavouriteDBInstance: (number) => ({ fancinessLevel: 1 + (number % 50) }),
  AmbivalentDBInstance: (number) => ({ ambivalence: 1 + (number % 50) }),
  PostgreSQLDatabase: (number) => ({ connectionLimit: 1 + (number % 50) }),
  RDSInstance: (number) => ({ backupRetentionPeriod: 1 + (number % 30) }),
  Queue: (number) => ({ delaySeconds: 1 + (number % 50) }),
  CloudMemorystoreInstance: (number) => ({ memorySizeGb: 1 + (number % 50) }),
  Topic: (number) => ({ messageRetentionDuration: `${86_400 + (number % 50)}s` }),
};

const managedNamed = (kind: string): Kind<Managed> => managedKinds.find((each) => each.kind === kind)!;

const nameIn = ({ namespace, name }: { readonly namespace?: string; readonly name?: string }): ObjectKey =>
  objectKey({ name: name ?? '', ...(namespace !== undefined && { namespace }) });

/** Swallows an error that is an answer, too. */
const unless =
  (isAnswer: (error: unknown) => boolean) =>
  (error: unknown): undefined => {
    if (!isAnswer(error)) throw error;
  };
