import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import map from 'lodash/map.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Kind, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { annotationKeys } from '../../apis/core/v1alpha1/meta.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../../apis/core/v1alpha1/store-config.ts';
import type { Environment } from '../../runtime/controller/environment.ts';
import type { CoreEvent } from '../../runtime/events/event-kind.ts';
import { LeaseKind } from '../../runtime/process/lease.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { ProviderKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import type { Trace } from '../../trace/model/trace.ts';
import { timelineOf } from '../../trace/model/trace-of.ts';
import { leaseHeld, legacy, remedyOf, resources } from './traced-objects.ts';
import type { Answering } from './traced-world.ts';
import { endWorlds, TracedWorld } from './traced-world.ts';

afterEach(endWorlds);

const claims = 'fancysqlinstances.database.crossplane.io';
const credentials = { namespace: 'cloud-credentials', name: 'favourite-cloud' };
const classNames = ['favourite-small', 'favourite-large'];
const editClaim = `kubectl -n team-shop edit ${claims} orders`;

/** The object of an operator of another product. */
const platform = { apiVersion: 'example.org/v1', kind: 'Platform', name: 'shop', uid: 'uid-of-shop' };

/** The steps that lead to a fault. Returns the object to trace. */
type Play = (world: TracedWorld) => Promise<readonly [word: string, key: ObjectKey]>;
/** A step before the process starts. */
type Preparing = (world: TracedWorld) => unknown;

interface Case {
  readonly fault: string;
  readonly play: Play;
  /** Default: broken. */
  readonly verdict?: Trace['verdict'];
  /** Default: resource. */
  readonly link?: string;
  readonly cause: string | RegExp;
  /** The first command. Default: a user edits the claim `orders`. */
  readonly commands?: string | RegExp;
}

const nothing: Preparing = () => undefined;

/** A user creates a claim with this spec; the claim is traced. */
const claiming =
  (spec?: object, prepare = nothing): Play =>
  async (world) => {
    prepare(world);
    return ['fancysqlinstance', await bound(world, spec)];
  };

/** An administrator created the resource `legacy`; it is traced. */
const making =
  (spec: object, prepare = nothing): Play =>
  async (world) => {
    prepare(world);
    const key = world.managed('legacy', spec);
    world.start();
    await world.pass();
    return ['favouritedbinstance', key];
  };

/** A claim names the resource `legacy` with this spec; the claim is traced. */
const claimingLegacy = (spec: object, given: object = {}): Play =>
  claiming({ resourceRef: legacy }, (world) => world.managed('legacy', spec, given));

/** A claim is bound, and then a step follows; the claim is traced. */
const onceBound =
  (happen: (world: TracedWorld, key: ObjectKey) => unknown, seconds = 20): Play =>
  async (world) => {
    const key = await bound(world);
    happen(world, key);
    await world.pass(seconds);
    return ['fancysqlinstance', key];
  };

/** The claims `first` and `second` name the same resource, one after the other; the second is traced. */
const claimedTwice =
  (spec: object, between: (world: TracedWorld, first: ObjectKey) => unknown, again = 'second'): Play =>
  async (world) => {
    world.managed('legacy', spec);
    world.start();
    const first = world.claim('first', { resourceRef: legacy });
    await world.pass();
    await between(world, first);
    await world.pass();
    const second = world.claim(again, { resourceRef: legacy });
    await world.pass();
    return ['fancysqlinstance', second];
  };

/** The process starts, a user creates a claim, and the controllers have time to bind it. */
const bound = async (world: TracedWorld, spec?: object): Promise<ObjectKey> => {
  world.start();
  const key = world.claim('orders', spec);
  await world.pass();
  return key;
};

/** The code of each stack has a bug. A user creates a claim, which is traced. */
const claimingWithBug: Play = async (world) => {
  const connect = () => Promise.reject(new TypeError('nothing is not a function'));
  const broken = world.stacks.map((stack) => ({
    ...stack,
    managed: (env: Environment) => stack.managed(env).map((one) => ({ ...one, connector: { connect } })),
  }));
  world.simulation.start(broken);
  const key = world.claim('orders');
  await world.pass();
  return ['fancysqlinstance', key];
};

/** The Secret of the claim, with an entry from this template. */
const shaped = (template: string) => ({
  writeConnectionSecretToRef: { name: 'orders-connection', template: { KEY: template } },
});

const editClasses = (world: TracedWorld, specTemplate: object): void => {
  for (const name of classNames) world.edit(FavouriteDBInstanceClassKind, { name }, { specTemplate });
};

const editCredentials = (world: TracedWorld, text: string): void =>
  world.edit(SecretKind, credentials, { data: { credentials: Buffer.from(text).toString('base64') } });

const putNamespace = (world: TracedWorld): unknown =>
  world.cluster.put(NamespaceKind, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-shop' } });

/** The controllers have renewed their lease now. */
const putLease = (world: TracedWorld): unknown =>
  world.cluster.put(LeaseKind, leaseHeld(0, world.clock.now()));

/** Another product holds the managed resource of this claim by a finalizer. */
function heldByBackup(world: TracedWorld, claim: ObjectKey): ObjectKey {
  const { metadata } = world.resourceOf(claim);
  const finalizers = [...(metadata.finalizers ?? []), 'example.org/backup'];
  world.edit(FavouriteDBInstanceKind, metadata, { metadata: { finalizers } });
  return { name: metadata.name };
}

/** Sets how the cloud answers. */
const answered =
  (answering: Answering): Preparing =>
  (world) => {
    world.answering = answering;
  };

const externalName = 'crossplane.io/external-name';
const named = (name = ''): object => ({ annotations: { [externalName]: name } });

/** Only an administrator gives the resource of a deleted claim back. A claim of its name is created again, and traced. */
const deletedAndCreatedAgain =
  (specOf: (before: Claim) => object | undefined = () => undefined, annotations?: object): Play =>
  async (world) => {
    const specTemplate = { retainFor: '7d', giveBack: 'Administrator' };
    world.edit(FavouriteDBInstanceClassKind, { name: 'favourite-small' }, { specTemplate });
    putNamespace(world);
    const key = await bound(world);
    const before = world.cluster.get<Claim>(FancySQLInstanceKind, key) ?? assert.fail();
    world.cluster.leave(FancySQLInstanceKind, key);
    await world.pass();
    const again = world.claim('orders', specOf(before));
    if (annotations) world.edit(FancySQLInstanceKind, again, { metadata: { annotations } });
    await world.pass();
    return ['fancysqlinstance', again];
  };
const waitsForGiveBack =
  /^FavouriteDBInstance team-shop-orders-\w+ is kept until \S+Z with the data of a previous claim of this name; only an administrator gives it back\.$/;
const giveBack = 'kubectl services-stack give-back -n team-shop orders';

/** A bound claim and its retained resource are deleted. The external resource still exists. */
async function retained(world: TracedWorld): Promise<{ readonly name: string; readonly external: string }> {
  editClasses(world, { reclaimPolicy: 'Retain' });
  const claim = await bound(world);
  const { metadata } = world.resourceOf(claim);
  world.cluster.delete(FancySQLInstanceKind, claim);
  await world.pass();
  world.cluster.delete(FavouriteDBInstanceKind, { name: metadata.name });
  await world.pass();
  assert.equal(world.cluster.find(FavouriteDBInstanceKind, { name: metadata.name }), undefined);
  return { name: metadata.name, external: metadata.annotations?.[externalName] ?? '' };
}

const cases: readonly Case[] = [
  {
    fault: 'missing class',
    play: claiming({ classRef: { ...legacy, kind: 'FavouriteDBInstanceClass', name: 'huge' } }),
    link: 'class',
    cause: 'FavouriteDBInstanceClass huge does not exist; correct spec.classRef, or create the class.',
  },
  {
    fault: 'missing class',
    play: claiming({ classRef: { ...legacy, kind: 'FavouriteDBInstanceClass', name: 'Small' } }),
    link: 'class',
    cause: /Small does not exist; correct spec\.classRef: no object can have that name\.$/,
  },
  {
    fault: 'no match',
    play: claiming({ classSelector: { matchLabels: { size: 'huge', cloud: 'favourite' } } }),
    link: 'class',
    cause:
      'No resource class matches spec.classSelector cloud=favourite,size=huge; correct it, or have an administrator label a class so that it matches (matching: AmbivalentDBInstanceClass 0 of 0, FavouriteDBInstanceClass 0 of 2).',
  },
  {
    fault: 'malformed selector',
    play: claiming({ classSelector: { matchExpressions: [{ key: 'size', operator: 'In', values: [] }] } }),
    link: 'class',
    cause:
      "The claim's selector is invalid: spec.classSelector.matchExpressions[0].values: must be given for operator In.",
  },
  {
    fault: 'incompatible',
    play: claiming({ version: '2.0', resourceRef: legacy }, (world) =>
      world.managed('legacy', { forProvider: { fancinessLevel: 3, version: '1.0' } }),
    ),
    cause: /^FavouriteDBInstance legacy has version "1\.0", .*\.$/,
  },
  {
    fault: 'incompatible',
    play: claiming(
      { version: '2.0', classRef: { ...legacy, kind: 'FavouriteDBInstanceClass', name: 'favourite-small' } },
      (world) => editClasses(world, { forProvider: { version: '1.0' } }),
    ),
    link: 'class',
    cause: /^FavouriteDBInstanceClass favourite-small has version "1\.0", .*\.$/,
  },
  {
    fault: 'incompatible',
    play: claiming(
      { classRef: { ...legacy, kind: 'FavouriteDBInstanceClass', name: 'favourite-small' } },
      (world) => editClasses(world, { managementPolicies: ['Create'] }),
    ),
    link: 'class',
    cause:
      'specTemplate.managementPolicies of FavouriteDBInstanceClass favourite-small is [Create]. It must be ["*"], or contain Observe and Create; have an administrator correct the class.',
    commands: /^kubectl edit favouritedbinstanceclasses\.\S+ favourite-small$/,
  },
  {
    fault: 'namespace not allowed',
    play: claiming({ resourceRef: legacy }, (world) => {
      putNamespace(world);
      world.managed('legacy', { namespaceSelector: { matchLabels: { tier: 'gold' } } });
    }),
    cause:
      'FavouriteDBInstance legacy may not be claimed from namespace team-shop: spec.namespaceSelector does not select it.',
    commands: `kubectl edit ${resources} legacy`,
  },
  {
    fault: 'not offered',
    play: claiming({ resourceRef: legacy }, (world) =>
      world.managed('legacy', { managementPolicies: ['Observe'] }),
    ),
    cause: /^FavouriteDBInstance legacy is only observed, and not available to claims; .*\.$/,
    commands: `kubectl edit ${resources} legacy`,
  },
  {
    fault: 'wrong credentials',
    play: claiming(undefined, (world) =>
      editCredentials(world, '{"url": "http://127.0.0.1:18080", "token": "stale"}'),
    ),
    link: 'credentials',
    cause:
      /^The external system rejects the credentials of Provider favourite: .* refused the token \(401 Unauthenticated\): .*\.$/,
    commands:
      'kubectl -n cloud-credentials create secret generic favourite-cloud-new --from-file=credentials=FILE',
  },
  {
    fault: 'missing StoreConfig',
    verdict: 'usable, but',
    play: making({ publishConnectionDetailsTo: { name: 'legacy', configRef: { name: 'gone' } } }),
    cause:
      /StoreConfig gone of spec\.publishConnectionDetailsTo does not exist; create it, or name another one\.$/,
    commands: `kubectl edit ${resources} legacy`,
  },
  {
    fault: 'store token missing',
    verdict: 'usable, but',
    play: making(
      { publishConnectionDetailsTo: { name: 'legacy', configRef: { name: 'vault' } } },
      (world) => {
        const secretRef = { namespace: 'cloud-credentials', name: 'vault-token', key: 'token' };
        const auth = { method: 'Token', token: { source: 'Secret', secretRef } } as const;
        const vault = { server: 'http://127.0.0.1:18200', mountPath: 'secret', auth };
        world.cluster.put(StoreConfigKind, {
          apiVersion: 'secrets.crossplane.io/v1alpha1',
          kind: 'StoreConfig',
          metadata: { name: 'vault' },
          spec: { type: 'Vault', defaultScope: 'teams', vault },
        });
      },
    ),
    cause: /secret cloud-credentials\/vault-token of StoreConfig vault does not exist\.$/,
    commands: 'kubectl edit storeconfigs.secrets.crossplane.io vault',
  },
  {
    fault: 'dependency being deleted',
    play: async (world) => {
      await bound(world);
      world.cluster.leave(ProviderKind, { name: 'favourite' });
      await world.pass();
      const late = world.claim('late', { classRef: { name: 'favourite-small' } });
      await world.pass();
      return ['fancysqlinstance', late];
    },
    cause:
      /Provider favourite is being deleted and takes no new users; name another one, or, if it has no data, delete this resource\.$/,
    commands: /^kubectl edit favouritedbinstances/,
  },
  {
    fault: 'deletion waits',
    play: async (world) => {
      await bound(world);
      world.cluster.leave(ProviderKind, { name: 'favourite' });
      await world.pass();
      world.claim('late', { classRef: { name: 'favourite-small' } });
      await world.pass();
      return ['provider.fcp.crossplane.io', { name: 'favourite' }];
    },
    link: 'users',
    cause: /^Provider favourite is being deleted: in use by 1 managed resource: FavouriteDBInstance /,
    commands: '',
  },
  {
    fault: 'other system',
    play: onceBound(
      (world) =>
        editCredentials(world, '{"url": "http://127.0.0.1:18080/other", "token": "favourite-token"}'),
      120,
    ),
    link: 'credentials',
    cause:
      /^Provider favourite leads to another system now: the provider connects to http:\/\/127\.0\.0\.1:18080\/other, but external resource "\S+" is in http:\/\/127\.0\.0\.1:18080; /,
    commands: 'kubectl get providers.fcp.crossplane.io favourite -o yaml',
  },
  {
    fault: 'observing only',
    play: async (world) => {
      world.simulation.start(world.stacks, { isObserveOnly: true });
      const key = world.claim('late', { classRef: { name: 'favourite-small' } });
      await world.pass();
      return ['fancysqlinstance', key];
    },
    cause:
      /^The controllers change nothing in external systems: this process only observes, and would otherwise create it; run it without --observe-only\.$/,
    commands: '',
  },
  {
    fault: 'nothing there',
    play: async (world) => {
      const annotations = { 'crossplane.io/external-name': 'legacy-order' };
      const key = world.managed('legacy', { managementPolicies: ['Observe'] }, { annotations });
      world.start();
      await world.pass();
      return ['favouritedbinstance', key];
    },
    link: 'external',
    cause:
      'The external resource of FavouriteDBInstance legacy does not exist: external resource does not exist (legacy-order).',
    commands: `kubectl annotate ${resources} legacy --overwrite crossplane.io/external-name="\${NAME:?its name there}"`,
  },
  {
    fault: 'provider down',
    play: claiming(undefined, answered('not at all')),
    link: 'server',
    cause:
      /^The external system of Provider favourite does not answer correctly: .* is unreachable: connection refused; connected by Provider favourite, secret \S+\.$/,
    commands:
      /^kubectl annotate favouritedbinstances\.database\.fcp\.crossplane\.io team-shop-orders-\w+ --overwrite crossplane\.io\/reconcile-requested-at="\$\(date\)"$/,
  },
  {
    fault: 'provider down',
    play: async (world) => {
      await claiming(undefined, answered('not at all'))(world);
      return ['providers.fcp.crossplane.io', { name: 'favourite' }];
    },
    link: 'server',
    cause: /^The external system of Provider favourite does not answer/,
    commands: /^$/,
  },
  {
    fault: 'quota',
    play: claiming(
      undefined,
      answered({ status: 409, code: 'InstanceQuotaExceeded', message: 'this account may have 40' }),
    ),
    link: 'server',
    cause: /^The quota of Provider favourite in the external system is used up: .*409 InstanceQuotaExceeded/,
    commands: /^kubectl annotate favouritedbinstances/,
  },
  {
    fault: 'paused',
    play: claimingLegacy({}, { annotations: { 'crossplane.io/paused': 'true' } }),
    cause:
      'FavouriteDBInstance legacy is paused: reconciliation is paused by the crossplane.io/paused annotation.',
    commands: `kubectl annotate ${resources} legacy crossplane.io/paused-`,
  },
  {
    fault: 'paused',
    play: onceBound((world, key) =>
      world.edit(FavouriteDBInstanceKind, world.resourceOf(key).metadata, {
        spec: { managementPolicies: [] },
      }),
    ),
    verdict: 'usable, but',
    cause:
      /^FavouriteDBInstance team-shop-orders-\w+ is paused: reconciliation is paused by empty spec\.managementPolicies\.$/,
    commands: /^kubectl edit favouritedbinstances\.database\.fcp\.crossplane\.io team-shop-orders-\w+$/,
  },
  {
    fault: 'leaked creation',
    play: async (world) => {
      const annotations = { 'crossplane.io/external-create-pending': '2026-01-02T03:04:05Z' };
      world.cluster.create(NetworkKind, {
        apiVersion: 'network.fcp.crossplane.io/v1alpha3',
        kind: 'Network',
        metadata: { name: 'lan', annotations },
        spec: { providerRef: { name: 'favourite' }, forProvider: { region: 'eu', cidrBlock: '10.0.0.0/16' } },
      } as never);
      world.start();
      await world.pass();
      return ['network', { name: 'lan' }];
    },
    link: 'external',
    cause:
      'The controller began to create Network lan, and its result is not known. A second creation could make a duplicate.',
    commands: `kubectl annotate networks.network.fcp.crossplane.io lan --overwrite crossplane.io/external-name="\${NAME:?its name there}" crossplane.io/external-create-pending-`,
  },
  {
    fault: 'claimed by another',
    play: claimedTwice({}, nothing),
    cause: 'FavouriteDBInstance legacy belongs to another claim; name another resource.',
    commands: `kubectl -n team-shop edit ${claims} second`,
  },
  {
    fault: 'claimed by another',
    play: claimingLegacy({}, { ownerReferences: [{ ...platform, controller: true }] }),
    cause: 'FavouriteDBInstance legacy is controlled by another object; name another resource.',
  },
  {
    fault: 'claimRef incomplete',
    play: claimingLegacy({ claimRef: { name: 'orders' } }),
    cause:
      'FavouriteDBInstance legacy has a spec.claimRef that lacks apiVersion, kind, namespace; an administrator has to add that.',
    commands: `kubectl edit ${resources} legacy`,
  },
  {
    fault: 'resource released',
    play: claimedTwice(
      { reclaimPolicy: 'Retain' },
      (world, first) => world.cluster.leave(FancySQLInstanceKind, first),
      'first',
    ),
    cause: 'spec.claimRef of FavouriteDBInstance legacy has the UID of a claim that does not exist.',
    commands: `kubectl patch ${resources} legacy --type=merge -p '{"spec":{"claimRef":{"apiVersion":"database.crossplane.io/v1alpha1","kind":"FancySQLInstance","namespace":"team-shop","name":"first","uid":null}}}'`,
  },
  {
    fault: 'kept',
    play: deletedAndCreatedAgain(),
    cause: waitsForGiveBack,
    commands: giveBack,
  },
  {
    fault: 'kept',
    play: deletedAndCreatedAgain(({ spec }) => spec),
    cause: waitsForGiveBack,
    commands: giveBack,
  },
  {
    fault: 'kept, and to start empty',
    play: deletedAndCreatedAgain(({ spec }) => spec, { [annotationKeys.startEmpty]: 'true' }),
    cause:
      /^spec\.resourceRef names FavouriteDBInstance team-shop-orders-\w+, which has the data of a previous FancySQLInstance team-shop\/orders; to start empty, delete this claim and create it again without spec\.resourceRef, and with the annotation crossplane\.io\/start-empty=true\. To have that data, remove the annotation\.$/,
  },
  {
    fault: 'deletion protected',
    play: (world) => {
      const specTemplate = { deletionProtection: true };
      world.edit(FavouriteDBInstanceClassKind, { name: 'favourite-small' }, { specTemplate });
      return onceBound((now, key) => now.cluster.leave(FancySQLInstanceKind, key))(world);
    },
    cause:
      'The claim is being deleted, and waits because its spec.deletionProtection is true. Until then its resource and its Secret stay.',
    commands: '',
  },
  {
    fault: 'resource being deleted',
    play: onceBound((world, key) => world.cluster.leave(FavouriteDBInstanceKind, heldByBackup(world, key))),
    cause: /^FavouriteDBInstance team-shop-orders-\w+ is being deleted, and no claim can use it any more\.$/,
    commands: '',
  },
  {
    fault: 'missing resource',
    play: claiming({ resourceRef: legacy }),
    cause:
      'FavouriteDBInstance legacy does not exist; correct spec.resourceRef; if an administrator creates it, this claim gets its data.',
  },
  {
    fault: 'missing resource',
    play: claiming({ resourceRef: { ...legacy, name: 'Legacy' } }),
    cause:
      'FavouriteDBInstance Legacy does not exist; correct spec.resourceRef: no object can have that name.',
  },
  {
    fault: 'invalid secret name',
    play: claiming({ writeConnectionSecretToRef: { name: 'Bad_Name' } }),
    link: 'claim',
    cause:
      'No Secret can have the name "Bad_Name": it must consist of at most 253 lowercase letters, digits, "-" and "."; name another in spec.writeConnectionSecretToRef.',
  },
  {
    fault: 'unknown kind',
    play: claiming({ classRef: { apiVersion: 'example.org/v1', kind: 'GoldClass', name: 'gold' } }),
    link: 'class',
    cause:
      /^spec\.classRef names a GoldClass \(example\.org\/v1\), and no controller here serves a \w+ with it; name one of: /,
  },
  {
    fault: 'template incomplete',
    play: claiming(shaped('{{ pasword }}')),
    verdict: 'usable, but',
    link: 'claim secret',
    cause:
      /^A part of the template is missing in the claim's Secret: entry KEY needs the key "pasword"; the keys are database, .*\.$/,
  },
  {
    fault: 'template incomplete',
    play: claiming(undefined, (world) =>
      editClasses(world, { claimSecret: { template: { KEY: '{{ pasword }}' } } }),
    ),
    verdict: 'usable, but',
    link: 'claim secret',
    cause: /: entry KEY needs the key "pasword"; .* of class favourite-\w+\.$/,
    commands: /^kubectl edit favouritedbinstanceclasses\.\S+ favourite-\w+$/,
  },
  {
    fault: 'bug in the stack',
    play: claimingWithBug,
    cause: /^The controller of FavouriteDBInstance \S+ met a bug in the stack fcp: nothing is not a function/,
    commands:
      /^kubectl annotate favouritedbinstances\.\S+ \S+ --overwrite crossplane.io\/reconcile-requested-at=/,
  },
  {
    fault: 'failing',
    play: making({ forProvider: { fancinessLevel: 3, networkIdRef: { name: 'lan' } } }),
    cause:
      /^The controller of FavouriteDBInstance legacy reports a failure: .*spec\.forProvider\.networkIdRef: Network lan does not exist; create it, or change the reference\.$/,
    commands: `kubectl edit ${resources} legacy`,
  },
  {
    fault: 'missing provider',
    play: claiming(undefined, (world) => world.cluster.remove(ProviderKind, 'favourite')),
    link: 'provider',
    cause:
      'Provider favourite (fcp.crossplane.io/v1alpha3) does not exist. It names the external system and the credentials.',
    commands: 'kubectl apply -f FILE',
  },
  {
    fault: 'missing provider',
    play: making({ providerRef: { name: 'Favourite' } }),
    link: 'provider',
    cause: /^Provider Favourite \(.*\) does not exist/,
    commands: `kubectl edit ${resources} legacy`,
  },
  {
    fault: 'missing credentials',
    play: claiming(undefined, (world) =>
      world.cluster.remove(SecretKind, credentials.name, credentials.namespace),
    ),
    link: 'credentials',
    cause:
      'The secret cloud-credentials/favourite-cloud with the credentials of Provider favourite does not exist.',
    commands:
      'kubectl -n cloud-credentials create secret generic favourite-cloud --from-file=credentials=FILE',
  },
  {
    fault: 'controllers down',
    play: async (world) => {
      const key = world.claim('orders');
      await world.pass(300);
      return ['fancysqlinstance', key];
    },
    link: 'controllers',
    cause:
      'No controller handles this object: no lease: no process runs, or one with --leader-elect=false; no controller has observed the last change of FancySQLInstance team-shop/orders.',
    commands: 'kubectl -n crossplane-system logs deployment/services-stack --previous --tail=50',
  },
  {
    fault: 'controllers down',
    play: onceBound((world) => {
      world.simulation.kill();
      putLease(world);
    }, 300),
    verdict: 'usable, but',
    link: 'controllers',
    cause: 'No controller handles this object: the lease of pod-1 has expired: renewed 5 min ago.',
    commands: 'kubectl -n crossplane-system logs deployment/services-stack --previous --tail=50',
  },
  {
    fault: 'deletion waits',
    play: async (world) => {
      const claim = await bound(world);
      const { name } = heldByBackup(world, claim);
      world.cluster.leave(FancySQLInstanceKind, claim);
      await world.pass(120);
      return ['favouritedbinstance', { name }];
    },
    cause:
      /^FavouriteDBInstance team-shop-orders-\w+ is being deleted, and finalizers of another product hold it: example\.org\/backup\.$/,
    commands: /^kubectl edit favouritedbinstances/,
  },
];

const matches = (text: string | undefined, expected: string | RegExp): void =>
  typeof expected === 'string' ? assert.equal(text, expected) : assert.match(text ?? '', expected);

const stateOf = (links: Trace['links'], name: string): string | undefined =>
  links
    .flatMap((link) => [link.name === name ? link.state : undefined, stateOf(link.links, name)])
    .find(Boolean);

describe('the trace finds the cause of each fault in the objects of the real controllers', () => {
  for (const [index, { fault, play, cause, ...given }] of cases.entries()) {
    const { verdict = 'broken', link = 'resource', commands = editClaim } = given;
    test(`${index + 1}: ${fault}, which leaves it ${verdict}`, async () => {
      const world = new TracedWorld();
      const [word, key] = await play(world);
      const trace = await world.trace(word, key);
      assert.deepEqual([trace.verdict, trace.fault?.name, trace.fault?.link], [verdict, fault, link]);
      matches(trace.fault?.cause, cause);
      matches(trace.fault?.commands[0] ?? '', commands);
      assert.doesNotMatch(trace.fault?.commands.join('\n') ?? '', / delete secrets /);
      assert.equal(trace.isUsable, verdict.startsWith('usable'));
      assert.equal(stateOf(trace.links, link), 'broken');
    });
  }
});

describe('a resource keeps a wrong name of its class, so the trace edits both', () => {
  const publishConnectionDetailsTo = { name: '{claim.name}-{claim.uid}', configRef: { name: 'wrong' } };
  const rows: Readonly<Record<string, readonly [specTemplate: object, fault: string]>> = {
    'of a provider': [{ providerRef: { name: 'wrong' } }, 'missing provider'],
    'of a StoreConfig': [{ publishConnectionDetailsTo }, 'missing StoreConfig'],
  };
  for (const [name, [specTemplate, expected]] of Object.entries(rows)) {
    test(name, async () => {
      const world = new TracedWorld();
      editClasses(world, specTemplate);
      const key = await bound(world);
      const { fault } = await world.trace('fancysqlinstance', key);
      assert.equal(fault?.name, expected);
      assert.match(
        fault?.advice ?? '',
        /If the name is wrong, correct it in the managed resource, and in its class for later claims\.$/,
      );
      const [editResource, editClass] = fault?.commands.slice(-2) ?? [];
      assert.match(editResource ?? '', /^kubectl edit favouritedbinstances\.\S+ team-shop-orders-\w+$/);
      assert.match(editClass ?? '', /^kubectl edit favouritedbinstanceclasses\.\S+ favourite-\w+$/);
    });
  }
});

test('no advice deletes a kept external resource, and the advice adopts it', async () => {
  const world = new TracedWorld();
  const { name, external } = await retained(world);
  world.managed('legacy', {}, named(external));
  await world.pass();
  const { verdict: broken, fault } = await world.trace('favouritedbinstance', { name: 'legacy' });
  assert.deepEqual([broken, fault?.link], ['broken', 'external']);
  assert.match(
    fault?.cause ?? '',
    /^The external system has another resource with this name: instance "\S+" exists and belongs to favouritedbinstance\.database\.fcp\.crossplane\.io "team-shop-orders-\w+"; /,
  );
  assert.deepEqual(remedyOf(fault), {
    name: 'name taken',
    advice:
      'Give this resource another external name. If a deleted resource left it (Retain, Orphan), a new resource with the kind and name of the deleted one adopts it.',
    commands: [`kubectl edit ${resources} legacy`],
  });
  const again = world.managed(name, {}, named(external));
  await world.pass();
  const { verdict } = await world.trace('favouritedbinstance', again);
  assert.equal(verdict, 'usable');
  assert.deepEqual(world.instances(), [external]);
});

test('the trace shows the recorded external name, and that an edit of the annotation has no effect', async () => {
  const world = new TracedWorld();
  const { metadata } = world.resourceOf(await bound(world));
  const annotations = { [externalName]: 'legacy-orders' };
  world.edit(FavouriteDBInstanceKind, { name: metadata.name }, { metadata: { annotations } });
  await world.pass();
  const external = (await world.trace('favouritedbinstance', { name: metadata.name })).links
    .flatMap((link) => [link, ...link.links])
    .find(({ name }) => name === 'external');
  const noEffect = `the annotation ${externalName}, legacy-orders, has no effect`;
  assert.equal(external?.title, `external name ${metadata.annotations?.[externalName]}`);
  assert.deepEqual(external.says, ['found in the external system', noEffect]);
});

describe('objects without a fault', () => {
  test('a claim that names its resource shows no class, not even the class of a previous claim', async () => {
    const world = new TracedWorld();
    const classRef = { ...legacy, kind: 'FavouriteDBInstanceClass', name: 'favourite-large' };
    world.managed('legacy', { classRef });
    const key = await bound(world, { resourceRef: legacy });
    const { links, verdict } = await world.trace('fancysqlinstance', key);
    const names = links.flatMap((link) => [link, ...link.links]).map(({ name }) => name);
    assert.deepEqual([verdict, names], ['usable', ['claim', 'resource', 'claim secret', 'controllers']]);
  });

  test('the Secret of a claim shows its rendered entries without values', async () => {
    const world = new TracedWorld();
    const key = await bound(world, shaped('{{ password }}'));
    const { links, verdict } = await world.trace('fancysqlinstance', key);
    const secret = links.flatMap((link) => [link, ...link.links]).find(({ name }) => name === 'claim secret');
    assert.deepEqual(
      [verdict, secret?.says],
      [
        'usable',
        [
          'has KEY, database, endpoint, host, password, port, provider, type, uri, username',
          "equals the managed resource's secret",
          'rendered from a template: KEY',
        ],
      ],
    );
  });

  test('the Secret of a claim shows its rendered entries, also if a secret store alone has the details', async () => {
    const world = new TracedWorld();
    world.cluster.put(StoreConfigKind, {
      apiVersion: 'secrets.crossplane.io/v1alpha1',
      kind: 'StoreConfig',
      metadata: { name: 'default' },
      spec: { type: 'Kubernetes', defaultScope: 'stored' },
    });
    const publishConnectionDetailsTo = { name: '{claim.uid}' };
    editClasses(world, { writeConnectionSecretsToNamespace: null, publishConnectionDetailsTo });
    const key = await bound(world, shaped('{{ password }}'));
    const { fault, links, verdict } = await world.trace('fancysqlinstance', key);
    const secret = links.flatMap((link) => [link, ...link.links]).find(({ name }) => name === 'claim secret');
    assert.deepEqual([verdict, fault], ['usable', undefined]);
    assert.deepEqual(secret?.says.slice(1), ['rendered from a template: KEY']);
  });

  test('a bound claim can be used, and every link of its chain is fine', async () => {
    const world = new TracedWorld();
    const key = await bound(world);
    putLease(world);
    const trace = await world.trace('fancysqlinstance', key);
    const states = (links: Trace['links']): readonly string[] =>
      links.flatMap(({ name, state, links: below }) => [`${name}: ${state}`, ...states(below)]);
    assert.deepEqual([trace.verdict, trace.fault], ['usable', undefined]);
    const resourceLinks = ['resource', 'external', 'provider', 'credentials', 'server', 'resource secret'];
    const all = ['claim', 'class', ...resourceLinks, 'claim secret', 'controllers'];
    assert.deepEqual(
      states(trace.links),
      all.map((name) => `${name}: ok`),
    );
  });

  test('an external resource that is only observed counts as found without a recorded identity', async () => {
    const world = new TracedWorld();
    const key = await bound(world);
    const name = world.resourceOf(key).metadata.annotations?.['crossplane.io/external-name'] ?? '';
    const annotations = { 'crossplane.io/external-name': name };
    const spec = { managementPolicies: ['Observe'], writeConnectionSecretToRef: undefined };
    const onlyObserved = world.managed('seen', spec, { annotations });
    await world.pass();
    const trace = await world.trace('favouritedbinstance', onlyObserved);
    assert.equal(stateOf(trace.links, 'external'), 'ok');
  });

  test('a new claim is in progress, and not broken', async () => {
    const world = new TracedWorld();
    const key = world.claim('orders');
    const trace = await world.trace('fancysqlinstance', key);
    assert.deepEqual([trace.verdict, trace.isUsable, trace.fault], ['in progress', false, undefined]);
  });
});

test('the trace reports a deleted class and a deleted Secret as missing, and not as unreadable', async () => {
  const world = new TracedWorld();
  const key = await bound(world, {});
  world.simulation.kill();
  const { metadata, spec } = world.resourceOf(key);
  world.cluster.delete(SecretKind, spec.writeConnectionSecretToRef ?? assert.fail(metadata.name));
  world.cluster.delete(FavouriteDBInstanceClassKind, { name: 'favourite-small' });
  const trace = await world.trace('fancysqlinstance', key);
  const all = (links: Trace['links']): Trace['links'] => links.flatMap((one) => [one, ...all(one.links)]);
  const of = (link: string) => all(trace.links).find(({ name }) => name === link) ?? assert.fail(link);
  const { state, says } = of('class');
  assert.deepEqual([state, says], ['ok', ['no longer exists; the resource does not need it']]);
  assert.deepEqual(of('resource secret').says, ['does not exist']);
});

test("the trace reports a deleted class whose template has entries in the claim's Secret", async () => {
  const world = new TracedWorld();
  editClasses(world, { claimSecret: { template: { KEY: '{{ password }}' }, only: true } });
  const key = await bound(world, {});
  world.cluster.delete(FavouriteDBInstanceClassKind, { name: 'favourite-small' });
  await world.pass();
  const trace = await world.trace('fancysqlinstance', key);
  const link = trace.links[0]?.links.find(({ name }) => name === 'class');
  assert.deepEqual(
    [trace.verdict, trace.fault?.name, link?.state, link?.says],
    [
      'usable, but',
      'template incomplete',
      'waits',
      ["no longer exists; entries of the claim's Secret are not rendered again"],
    ],
  );
});

test('Events of the same second are ordered by their resource version', () => {
  const event = (resourceVersion: string, reason: string): CoreEvent =>
    ({
      metadata: { name: reason, resourceVersion },
      involvedObject: { kind: 'FancySQLInstance', name: reason },
      reason,
      lastTimestamp: '2026-01-02T03:04:05Z',
    }) as unknown as CoreEvent;
  const timeline = timelineOf([event('1000', 'Bound'), event('999', 'Created'), event('98', 'Defaulted')]);
  assert.deepEqual(map(timeline, 'reason'), ['Defaulted', 'Created', 'Bound']);
});

describe('a user with few rights sees the message of the claim, and the objects that may not be read', () => {
  const mayRead = (kind: Kind, key?: { readonly namespace?: string | undefined }): boolean =>
    kind.scope === 'Cluster' || key?.namespace !== 'team-shop';
  const rows: Readonly<Record<string, readonly [play: Play, assertIs: (trace: Trace) => void]>> = {
    'the provider is down': [
      claiming(undefined, answered('not at all')),
      ({ verdict, fault, gaps }) => {
        assert.deepEqual([verdict, fault?.name], ['broken', 'provider down']);
        assert.deepEqual(gaps, [
          'You may not read: the classes, the managed resource, the lease of the controllers',
          'An administrator who may read them sees more: kubectl services-stack trace fancysqlinstances.database.crossplane.io orders -n team-shop',
        ]);
      },
    ],
    'no class matches': [
      claiming({ classSelector: { matchLabels: { size: 'huge' } } }),
      ({ fault }) => assert.deepEqual([fault?.name, fault?.link], ['no match', 'class']),
    ],
    'the resource is paused': [
      claimingLegacy({}, { annotations: { 'crossplane.io/paused': 'true' } }),
      ({ fault }) => {
        const paused =
          /reconciliation is paused by the crossplane\.io\/paused annotation; reported by FavouriteDBInstance legacy\.$/i;
        assert.match(fault?.cause ?? '', paused);
        assert.deepEqual(fault?.commands, [
          'kubectl services-stack trace favouritedbinstance.database.fcp.crossplane.io legacy',
        ]);
      },
    ],
    'a bound claim can be used all the same, and links that may not be read are unknown': [
      claiming(),
      ({ verdict, fault, links }) => {
        assert.deepEqual([verdict, fault], ['usable', undefined]);
        const states = ['class', 'resource', 'controllers'].map((name) => stateOf(links, name));
        assert.deepEqual(states, ['unknown', 'unknown', 'unknown']);
      },
    ],
  };
  for (const [name, [play, assertIs]] of Object.entries(rows)) {
    test(name, async () => {
      const world = new TracedWorld();
      assertIs(await world.trace(...(await play(world)), { forbidden: mayRead }));
    });
  }
});

test('no value of a secret is in a trace', async () => {
  const world = new TracedWorld();
  const key = await bound(world);
  const { data = {} } = world.cluster.get(SecretKind, { namespace: 'team-shop', name: 'orders-connection' });
  const text = JSON.stringify(await world.trace('fancysqlinstance', key));
  const password = Buffer.from(data.password ?? '', 'base64').toString();
  assert.ok(password.length > 8);
  for (const secret of [password, data.password ?? '', 'favourite-token']) assert.ok(!text.includes(secret));
});
