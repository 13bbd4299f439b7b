import assert from 'node:assert/strict';
import isEqual from 'lodash/isEqual.js';
import { advice } from '../../../apis/core/v1alpha1/advice.ts';
import { getCondition } from '../../../apis/core/v1alpha1/condition.ts';
import { annotationKeys } from '../../../apis/core/v1alpha1/meta.ts';
import { SecretKind } from '../../../apis/core/v1alpha1/secret.ts';
import { provisionedNames } from '../../../controllers/claim/provisioned-name.ts';
import { howToMakeAvailable } from '../../../controllers/claim-binding/report.ts';
import { messageOf } from '../../../runtime/client/errors.ts';
import type { FancySQLInstance } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import { FancySQLInstanceKind } from '../../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { favouriteClassRef, favouriteRef, startFancySQL } from '../fancysql-fixture.ts';
import { eventually } from '../stack-harness.ts';
import { inCloud } from './author-rows.ts';
import { refusedVersion, refusedVersionOfClass } from './aws-rows.ts';
import type { Place, Row, RowsFor } from './player.ts';
import { asPrinted } from './player.ts';
import { quotaOnSecrets, requireTeamLabel } from './policy.ts';

const ambivalent = { apiVersion: 'database.ocp.crossplane.io/v1alpha1', kind: 'AmbivalentDBInstanceClass' };

const bound = (at: Place, name = 'db'): Promise<unknown> => at.fixture.bound(at.namespace, name);

/** A claim names this resource, which a user created. */
const claimOf = (at: Place, name: string) => at.claim({ resourceRef: favouriteRef(at.named(name)) });

const refer = (at: Place, name: string) => at.editClaim({ resourceRef: favouriteRef(at.named(name)) });

/** A reference to the claim of the row. */
const claimRef = ({ key }: Place) => ({
  apiVersion: 'database.crossplane.io/v1alpha1',
  kind: 'FancySQLInstance',
  ...key,
});

const isGone = async (at: Place): Promise<boolean> => (await at.find()) === undefined;

const secretKey = ({ namespace }: Place) => ({ namespace, name: 'db-connection' });

/** The Secret of the claim of the row, with an entry from this template. */
const shaped = (template: string) => ({ name: 'db-connection', template: { KEY: template } });

const shapedClass = (at: Place) =>
  at.class('shaped', { template: { claimSecret: { template: { KEY: '{{ password }}' } } } });

const editClass = (at: Place, specTemplate: object) =>
  at.edit(FavouriteDBInstanceClassKind, { name: at.named('shaped') }, { specTemplate });

/** Whether the claim has the entry, and reports nothing about it any more. */
async function isRendered(at: Place): Promise<boolean> {
  const { conditions } = (await at.find())?.status ?? {};
  const { data = {} } = (await at.fixture.cluster.find(SecretKind, secretKey(at))) ?? {};
  const isReported = getCondition(conditions, 'Synced').status !== 'True';
  return !isReported && data.KEY !== undefined && data.KEY === data.password;
}

/** A resource of `small`, as a class with the policy Retain left it after its claim was deleted. */
async function released(at: Place): Promise<string> {
  await at.class('kept', { template: { reclaimPolicy: 'Retain' } });
  await at.claim({ classRef: at.classRef('kept') });
  await bound(at);
  const { metadata } = await at.resource();
  await at.delete(FancySQLInstanceKind);
  await eventually('the claim is gone', () => isGone(at));
  return metadata.name;
}

/** A claim was deleted, and only an administrator gives its resource back. Returns the spec of the claim. */
async function retained(at: Place): Promise<FancySQLInstance['spec']> {
  await at.class('kept', { template: { retainFor: '7d', giveBack: 'Administrator' } });
  await at.claim({ classRef: at.classRef('kept') });
  await bound(at);
  const { spec } = (await at.find()) ?? assert.fail('the claim is gone');
  await at.delete(FancySQLInstanceKind);
  await eventually('the claim is gone', () => isGone(at));
  return spec;
}

/** The claim was created again. */
async function retainedForIt(at: Place): Promise<void> {
  await retained(at);
  await at.claim({ classRef: at.classRef('kept') });
}

/** The claim was created again from an export, which names the resource, and with the annotation to start empty. */
async function exportedAndToStartEmpty(at: Place): Promise<void> {
  await at.claim(await retained(at));
  await startEmpty(at);
}

const startEmpty = (at: Place): Promise<unknown> =>
  at.run(`kubectl annotate fancysqlinstance -n ${at.namespace} db ${annotationKeys.startEmpty}=true`);

/** The effects of the end of the protected claim, and the command. */
const howToEndProtection = async (at: Place): Promise<string> => {
  const { metadata } = await at.resource();
  const end = `deletes FavouriteDBInstance ${metadata.name} with all its data`;
  return advice.endProtection(end, (await at.find())!);
};

/** Runs the command that makes a released resource available to the claim, from the claim's messages. */
const makeAvailable = async (at: Place): Promise<unknown> =>
  at.run(
    await eventually('the command is printed', async () => {
      const [, command] = /to this claim: (kubectl .*)$/m.exec(await at.messages()) ?? [];
      return command;
    }),
  );

/** An administrator gives the released resource that the claim `next` names to it, with its data. */
const giveToNext = async (at: Place): Promise<unknown> =>
  at.run(
    howToMakeAvailable(FavouriteDBInstanceKind as never, await at.resource('next'), (await at.find('next'))!),
  );

/** The command that gives a released resource, with its data, to the claim `next`. */
const offer = ({ namespace }: Place, name: string): string =>
  `kubectl services-stack offer favouritedbinstance ${name} --to ${namespace}/next`;

/** The Events of the resource that the claim `next` names. Only administrators can read them. */
const nextEvents = async (at: Place): Promise<string> => at.events((await at.resource('next')).metadata.name);

const nextMessages = async (at: Place): Promise<string> =>
  at.messagesOf(FavouriteDBInstanceKind, (await at.resource('next')).metadata);

/** There is a database for others to observe. */
async function first(at: Place): Promise<void> {
  await at.managed('first');
  await eventually('the instance exists', async () =>
    at.fixture.favourite.instances().some(({ item }) => item.name === at.named('first')),
  );
}

/** A claim chose the external name of another team's database. */
async function takenName(at: Place): Promise<void> {
  await first(at);
  const annotations = { [annotationKeys.externalName]: at.named('first') };
  const spec = { classRef: at.classRef(), writeConnectionSecretToRef: { name: 'db-connection' } };
  await at.make(FancySQLInstanceKind, { ...at.key, annotations }, { spec });
}

/** The refusal of a class with these fields by the API server. */
const refusedClass = (at: Place, template: object): Promise<string | undefined> =>
  at.class('refused', { template }).then(
    () => undefined,
    (error: unknown) => messageOf(error),
  );

/** A claim whose Secret exists already, and belongs to a user. */
async function occupiedSecret(at: Place, spec?: Parameters<Place['claim']>[0]): Promise<void> {
  await at.secret(at.namespace, 'db-connection', { password: 'mine' });
  await at.claim(spec);
}

/** A claim whose Secret belongs to a user, and whose resource was created for it. The claim is not Bound yet. */
async function waitingForSecret(at: Place, spec: Parameters<Place['claim']>[0]): Promise<void> {
  await occupiedSecret(at, spec);
  const { metadata } = await at.resource();
  await eventually('the resource is bound to its claim', async () => {
    const now = await at.fixture.cluster.find(FavouriteDBInstanceKind, { name: metadata.name });
    return now?.status?.bindingPhase === 'Bound';
  });
}

/** A claim chose an external name that its class does not allow. */
const chosenName = (
  externalNames: 'Prefixed' | 'None' | 'Any',
  name: (at: Place) => string = (at) => `${at.namespace}-ledger`,
): Row => ({
  async situation(at) {
    await at.class('named', { template: { externalNames } });
    const annotations = { [annotationKeys.externalName]: name(at) };
    await at.make(
      FancySQLInstanceKind,
      { ...at.key, annotations },
      { spec: { classRef: at.classRef('named') } },
    );
  },
  says: (at) =>
    ({ None: advice.removeName, Prefixed: advice.beginName(`${at.namespace}_`), Any: advice.removeUnsafe })[
      externalNames
    ],
  reason: 'ExternalNameNotAllowed',
  fault: 'external name not allowed',
  act: (at) =>
    at.run(`kubectl annotate fancysqlinstance -n ${at.namespace} db ${annotationKeys.externalName}-`),
});

/** The trace prints the command that deletes the claim. Its reader then creates another one, of a class that works. */
const deletingClaim: Row['others'] = {
  ' delete fancysqlinstance': {
    async act(at, command) {
      await at.run(command);
      await eventually('the claim is gone', () => isGone(at));
      await at.claim();
    },
    ends: (at) => at.usable(),
  },
};

/** The situation in which each piece of advice of the catalogue is read, and how it is followed. */
export const claimRows = {
  useAnotherKey: {
    situation: () => Promise.resolve(),
    where: (at) => refusedClass(at, { metadata: { labels: { 'app.kubernetes.io/name': 'orders' } } }),
    says: () =>
      `the key app.kubernetes.io/name belongs to Kubernetes or to these controllers; ${advice.useAnotherKey}`,
    async act(at) {
      await at.class('labelled', { template: { metadata: { labels: { 'example.com/name': 'orders' } } } });
      await at.claim({ classRef: at.classRef('labelled') });
    },
    async ends(at) {
      const { labels } = (await at.resource()).metadata;
      return labels?.['example.com/name'] === 'orders' && at.usable();
    },
  },
  correctClassRef: {
    says: () => 'correct spec.classRef, or create the class',
    situation: (at) => at.claim({ classRef: at.classRef('smal') }),
    reason: 'ClassNotFound',
    fault: 'missing class',
    act: (at) => at.editClaim({ classRef: at.classRef() }),
    // A claim that was corrected says nothing of its fault any more.
    async ends(at) {
      const { conditions = [] } = (await at.find())?.status ?? {};
      const states = conditions.map(({ type, status }) => `${type} ${status}`).toSorted();
      return isEqual(states, ['Ready True', 'Synced True']) && at.usable();
    },
  },
  endRehearsal: {
    async situation(at) {
      const rehearsal = await startFancySQL({ provisioningMs: 50 });
      const running = rehearsal.cluster.startProcess(['--stacks', 'fcp', '--observe-only']);
      at.rehearsals.push({ ...rehearsal, running });
      await rehearsal.favouriteClass('small');
      await rehearsal.claim('team-a', 'db', { classRef: favouriteClassRef('small') });
    },
    where: async ({ rehearsals: [{ getClaim } = assert.fail()] }) => {
      const claim = await getClaim('team-a', 'db');
      return getCondition(claim?.status?.conditions, 'Ready').message;
    },
    async act({ rehearsals: [{ running, cluster } = assert.fail()] }) {
      await running.end();
      cluster.startProcess(['--stacks', 'fcp']);
    },
    ends: async ({ rehearsals: [{ getClaim } = assert.fail()] }) =>
      (await getClaim('team-a', 'db'))?.status?.bindingPhase === 'Bound',
  },
  createClass: {
    says: () => 'create the class, or create another claim',
    async situation(at) {
      const claim = await at.claim({ classRef: at.classRef('late') });
      await at.editClaim({ resourceRef: favouriteRef(provisionedNames(claim)[0] ?? '') });
    },
    reason: 'ClassNotFound',
    fault: 'missing class',
    act: (at) => at.class('late'),
    others: deletingClaim,
  },
  completeClassRef: {
    async situation(at) {
      const name = at.named('small');
      await at.fixture.ambivalentClass(name, { only: name });
      // Each kind of class has a watch of its own: claims that got these classes show that the process knows both.
      await at.claim({ classRef: at.classRef() }, 'first');
      await at.claim({ classSelector: { matchLabels: { only: name } } }, 'second');
      await at.resource('first');
      await eventually(
        'the process knows both classes',
        async () => (await at.find('second'))?.spec.classRef,
      );
      await at.claim({ classRef: { name } });
    },
    says: () =>
      advice.completeClassRef([
        'AmbivalentDBInstanceClass (database.ocp.crossplane.io/v1alpha1)',
        'FavouriteDBInstanceClass (database.fcp.crossplane.io/v1alpha3)',
      ]),
    reason: 'AmbiguousClass',
    fault: 'missing class',
    act: (at) => at.editClaim({ classRef: at.classRef() }),
  },
  labelClass: {
    situation: (at) => at.claim({ classSelector: { matchLabels: { for: at.namespace } } }),
    reason: 'NoMatchingClass',
    fault: 'no match',
    act: (at) => at.run(`kubectl label favouritedbinstanceclass ${at.named('small')} for=${at.namespace}`),
  },
  markDefault: {
    situation: (at) => at.claim({}),
    reason: 'NoDefaultClass',
    fault: 'no match',
    act: (at) =>
      at.run(
        `kubectl annotate favouritedbinstanceclass ${at.named('small')} ${annotationKeys.defaultClass}=true`,
      ),
  },
  correctClaim: {
    async situation(at) {
      await at.class('old', { template: { forProvider: { fancinessLevel: 3, version: '5.6' } } });
      await at.claim({ classRef: at.classRef('old'), version: '5.7' });
    },
    says: (at) => advice.correctClaim(`FavouriteDBInstanceClass ${at.named('old')}`),
    reason: 'Incompatible',
    fault: 'incompatible',
    act: (at) => at.editClaim({ version: '5.6' }),
  },
  correctClass: {
    async situation(at) {
      await at.class('policed', { template: { managementPolicies: ['Create'] } });
      await at.claim({ classRef: at.classRef('policed') });
    },
    reason: 'Incompatible',
    fault: 'incompatible',
    act: (at) =>
      at.edit(
        FavouriteDBInstanceClassKind,
        { name: at.named('policed') },
        { specTemplate: { managementPolicies: ['Observe', 'Create', 'Delete'] } },
      ),
  },
  nameKnownKind: {
    situation: (at) => at.claim({ classRef: { ...ambivalent, kind: 'RDSInstanceClass', name: 'small' } }),
    says: () => 'name one of: AmbivalentDBInstanceClass (database.ocp.crossplane.io/v1alpha1), Favourite',
    reason: 'UnknownKind',
    fault: 'unknown kind',
    act: (at) => at.editClaim({ classRef: at.classRef() }),
  },
  runStack: {
    async situation(at) {
      await claimOf(at, 'missing');
      await at.fixture.readyReason(at.namespace, 'db', 'ResourceNotFound');
      await at.editClaim({ resourceRef: { apiVersion: 'example.org/v1', kind: 'Gold', name: 'x' } });
      await at.delete(FancySQLInstanceKind);
    },
    reason: 'UnknownKind',
    act: (at) => refer(at, 'missing'),
    ends: isGone,
  },
  nameAnotherResource: {
    async situation(at) {
      await at.managed('taken');
      await at.managed('free');
      await at.claim({ resourceRef: favouriteRef(at.named('taken')) }, 'other');
      await bound(at, 'other');
      await claimOf(at, 'taken');
    },
    reason: 'ClaimedByOther',
    fault: 'claimed by another',
    act: (at) => refer(at, 'free'),
  },
  createAnotherClaim: {
    async situation(at) {
      await at.cloud(({ url }) => ({ url, token: 'wrong' }));
      await at.claim({ classRef: at.classRef('own'), version: '5.6' });
      const { metadata } = await at.resource();
      await at.fixture.readyReason(at.namespace, 'db', 'CredentialsRefused');
      await at.edit(FavouriteDBInstanceKind, metadata, { spec: { forProvider: { version: '5.7' } } });
    },
    reason: 'Incompatible',
    fault: 'incompatible',
    act: (at) => at.claim({ classRef: at.classRef() }, 'another'),
    ends: (at) => at.usable('another'),
    others: deletingClaim,
  },
  createResource: {
    says: () => 'correct spec.resourceRef; if an administrator creates it, this claim gets its data',
    situation: (at) => claimOf(at, 'late'),
    reason: 'ResourceNotFound',
    fault: 'missing resource',
    act: (at) => at.managed('late'),
  },
  allowRequest: {
    async situation(at) {
      await requireTeamLabel(at);
      await at.claim();
    },
    reason: 'RequestRefused',
    act: (at) => at.run(`kubectl delete validatingwebhookconfiguration ${at.named('labels')}`),
  },
  createClaimAgain: {
    says: () => 'restore it from a backup, or delete this claim and create it again without spec.resourceRef',
    situation: (at) =>
      at.claim({ classRef: at.classRef(), resourceRef: favouriteRef(at.named('of-a-previous-claim')) }),
    reason: 'ResourceNotFound',
    fault: 'missing resource',
    async act(at) {
      await at.run(await at.tracedCommand());
      await eventually('the claim is gone', () => isGone(at));
      await at.claim();
    },
  },
  restoreResource: {
    async situation(at) {
      await at.claim();
      await bound(at);
      await at.delete(FavouriteDBInstanceKind, (await at.resource()).metadata);
    },
    reason: 'ResourceNotFound',
    fault: 'missing resource',
    async act(at) {
      const name = (await at.find())?.spec.resourceRef?.name ?? '';
      const { uid } = (await at.find())?.metadata ?? {};
      await at.make(
        FavouriteDBInstanceKind,
        { name },
        {
          spec: {
            providerRef: { name: 'favourite' },
            writeConnectionSecretToRef: { namespace: 'cloud-credentials', name: uid },
            forProvider: { fancinessLevel: 3 },
            classRef: at.classRef(),
            claimRef: { ...claimRef(at), uid },
          },
        },
      );
    },
  },
  nameAnotherSecret: {
    situation: occupiedSecret,
    says: () => 'name another in spec.writeConnectionSecretToRef',
    reason: 'SecretConflict',
    fault: 'secret conflict',
    act: (at) => at.editClaim({ writeConnectionSecretToRef: { name: 'another' } }),
  },
  askAuthorOfSecret: {
    situation: occupiedSecret,
    reason: 'SecretConflict',
    fault: 'secret conflict',
    act: (at) => at.delete(SecretKind, secretKey(at)),
  },
  deleteFrozenCopy: {
    async situation(at) {
      await at.claim();
      await bound(at);
      await at.edit(SecretKind, secretKey(at), { immutable: true } as object);
      // The resource gets another password.
      await at.delete(SecretKind, (await at.resource()).spec.writeConnectionSecretToRef!);
    },
    where: (at) => at.events('db-connection', at.namespace),
    fault: 'immutable secret',
    act: async (at) => at.run(await at.tracedCommand()),
  },
  correctShape: {
    situation: (at) =>
      at.claim({ classRef: at.classRef(), writeConnectionSecretToRef: shaped('{{ pasword }}') }),
    fault: 'template incomplete',
    act: (at) => at.editClaim({ writeConnectionSecretToRef: shaped('{{ password }}') }),
    ends: isRendered,
  },
  correctClassShape: {
    async situation(at) {
      await at.class('shaped', { template: { claimSecret: { template: { KEY: '{{ pasword }}' } } } });
      await at.claim({ classRef: at.classRef('shaped') });
    },
    says: (at) => advice.correctClassShape(at.named('shaped')),
    fault: 'template incomplete',
    act: (at) => editClass(at, { claimSecret: { template: { KEY: '{{ password }}' } } }),
    ends: isRendered,
  },
  createClassAgain: {
    async situation(at) {
      await shapedClass(at);
      await at.claim({ classRef: at.classRef('shaped') });
      await bound(at);
      await at.delete(FavouriteDBInstanceClassKind, { name: at.named('shaped') });
    },
    fault: 'template incomplete',
    act: shapedClass,
    ends: isRendered,
  },
  correctFields: refusedVersion,
  correctFieldsWithClass: refusedVersionOfClass,
  setParameters: {
    async situation(at) {
      await waitingForSecret(at, { classRef: at.classRef(), version: '5.6' });
      await at.editClaim({ version: '5.7' });
      await at.delete(SecretKind, secretKey(at));
    },
    reason: 'Incompatible',
    fault: 'incompatible',
    act: (at) => at.editClaim({ version: '5.6' }),
  },
  setParametersForClass: {
    async situation(at) {
      await at.class('old', { template: { forProvider: { fancinessLevel: 3, version: '5.6' } } });
      await waitingForSecret(at, { classRef: at.classRef('old'), version: '5.6' });
      await at.editClaim({ version: '5.7' });
      await at.delete(SecretKind, secretKey(at));
    },
    says: (at) =>
      `FavouriteDBInstanceClass ${at.named('old')} has version "5.6", but the claim's spec.version is "5.7"; ${advice.setParametersForClass}`,
    reason: 'Incompatible',
    fault: 'incompatible',
    act: (at) => at.claim({ classRef: at.classRef(), version: '5.7' }, 'another'),
    ends: (at) => at.usable('another'),
  },
  createOtherClaim: {
    situation: takenName,
    says: () => 'create another claim with another external name',
    reason: 'Conflict',
    fault: 'name taken',
    act: (at) => at.claim({ classRef: at.classRef() }, 'another'),
    ends: (at) => at.usable('another'),
  },
  offerObserved: {
    async situation(at) {
      await at.cloud();
      const foreign = { fanciness_level: 3, password: 'a-password-of-theirs' };
      await inCloud(at, '/v1/instances', { name: at.named('first'), ...foreign });
      const provider = { providerRef: undefined, providerConfigRef: { name: at.named('cloud') } };
      const observing = { managementPolicies: ['Observe'], forProvider: { name: at.named('first') } };
      await at.managed('seen', { ...provider, ...observing } as object);
      // It wants no Secret: only the person who set the password of an observed resource can give it.
      const resourceRef = favouriteRef(at.named('seen'));
      await at.claim({ resourceRef, writeConnectionSecretToRef: undefined } as object);
    },
    reason: 'NotOffered',
    fault: 'not offered',
    act: (at) => at.editSpec(FavouriteDBInstanceKind, 'seen', { claimRef: claimRef(at) }),
  },
  // This cloud has no names with an underscore. A test on PostgreSQL chooses one.
  beginName: chosenName('Prefixed'),
  removeName: chosenName('None'),
  removeUnsafe: chosenName('Any', () => 'ledger$(id)'),
  completeClaimRef: {
    async situation(at) {
      const { namespace: _, ...half } = claimRef(at);
      await at.managed('half', { claimRef: half });
      await claimOf(at, 'half');
    },
    reason: 'ClaimRefIncomplete',
    fault: 'claimRef incomplete',
    act: (at) => at.editSpec(FavouriteDBInstanceKind, 'half', { claimRef: { namespace: at.namespace } }),
  },
  makeAvailable: {
    async situation(at) {
      const name = await released(at);
      await at.claim({ resourceRef: favouriteRef(name) });
    },
    async says(at) {
      return howToMakeAvailable(FavouriteDBInstanceKind as never, await at.resource(), (await at.find())!);
    },
    reason: 'Released',
    fault: 'resource released',
    act: (at) => makeAvailable(at),
  },
  giveResourceBack: {
    situation: retainedForIt,
    says: (at) => advice.giveResourceBack(at.namespace, 'db'),
    reason: 'KeptResourceExists',
    fault: 'kept',
    act: (at) => at.run(`kubectl services-stack give-back -n ${at.namespace} db`),
  },
  endProtection: {
    async situation(at) {
      await at.class('protected', { template: { deletionProtection: true } });
      await at.claim({ classRef: at.classRef('protected') });
      await bound(at);
      await at.delete(FancySQLInstanceKind);
    },
    says: howToEndProtection,
    reason: 'DeletionProtected',
    fault: 'deletion protected',
    async act(at) {
      assert.equal((await at.resource()).status?.bindingPhase, 'Bound');
      await at.run((await howToEndProtection(at)).split(': ')[1] ?? '');
    },
    ends: isGone,
  },
  startEmpty: {
    situation: retainedForIt,
    reason: 'KeptResourceExists',
    fault: 'kept',
    act: startEmpty,
    others: { 'give-back': asPrinted },
  },
  startWithoutReference: {
    situation: exportedAndToStartEmpty,
    reason: 'Released',
    fault: 'kept, and to start empty',
    async act(at) {
      await at.delete(FancySQLInstanceKind);
      await eventually('the claim is gone', () => isGone(at));
      await at.claim({ classRef: at.classRef('kept') });
      await startEmpty(at);
    },
  },
  giveToClaim: {
    async situation(at) {
      await at.claim({ resourceRef: favouriteRef(await released(at)) }, 'next');
      await at.fixture.readyReason(at.namespace, 'next', 'ClaimedByOther');
    },
    says: () => 'which has the data of FancySQLInstance',
    where: nextEvents,
    async act(at) {
      assert.doesNotMatch(await at.messages('next'), /kubectl|FancySQLInstance/);
      await at.run(offer(at, (await at.resource('next')).metadata.name));
    },
    ends: (at) => at.usable('next'),
  },
  publishSecret: {
    async situation(at) {
      await at.managed('silent', { writeConnectionSecretToRef: undefined } as object);
      await claimOf(at, 'silent');
    },
    reason: 'SecretNotPublished',
    fault: 'no secret',
    act: (at) =>
      at.editSpec(FavouriteDBInstanceKind, 'silent', {
        writeConnectionSecretToRef: { namespace: 'cloud-credentials', name: at.named('silent') },
      }),
  },
  nameSecret: {
    situation: (at) => at.claim({ classRef: at.classRef(), writeConnectionSecretToRef: undefined } as object),
    act: (at) => at.editClaim({ writeConnectionSecretToRef: { name: 'db-connection' } }),
    ends: async (at) =>
      (await at.fixture.cluster.find(SecretKind, secretKey(at)))?.data?.password !== undefined,
  },
  reuseCredentials: {
    async situation(at) {
      const name = await released(at);
      const withoutUpdate = ['Observe', 'Create', 'Delete', 'LateInitialize'];
      await at.editPolicies(name, withoutUpdate);
      await at.claim({ resourceRef: favouriteRef(name) }, 'next');
      await giveToNext(at);
    },
    where: nextMessages,
    async act(at) {
      const [, annotation = ''] = /set the annotation (\S+)$/m.exec(await nextMessages(at)) ?? [];
      await at.annotate(FavouriteDBInstanceKind, (await at.resource('next')).metadata.name, annotation);
    },
    ends: (at) => at.usable('next'),
  },
  removeClaimRef: {
    async situation(at) {
      await at.managed('reserved', { claimRef: { ...claimRef(at), name: 'gone', uid: 'of-none' } });
    },
    where: (at) => at.events(at.named('reserved')),
    async act(at) {
      await at.editSpec(FavouriteDBInstanceKind, 'reserved', { claimRef: null });
      await claimOf(at, 'reserved');
    },
  },
  createReferenced: {
    says: () => 'create it, or change the reference',
    situation: (at) => networkedBy(at, { networkIdRef: { name: at.named('net') } }),
    reason: 'ResourceFailing',
    fault: 'failing',
    act: (at) => network(at),
  },
  labelReferenced: {
    async situation(at) {
      await network(at);
      await networkedBy(at, { networkIdSelector: { matchLabels: { of: at.namespace } } });
    },
    reason: 'ResourceFailing',
    fault: 'failing',
    act: (at) => at.run(`kubectl label network ${at.named('net')} of=${at.namespace}`),
  },
} satisfies RowsFor<typeof advice>;

/**
 * The plugin is asked to give a Bound resource to another claim. Its reader does what it says, and asks it again: the other
 * claim gets the instance with its data.
 */
const offerBound = (reclaimPolicy: 'Delete' | 'Retain', says: string): Row => {
  let name = '';
  let before: string | undefined;
  const uuid = (at: Place) =>
    at.fixture.favourite.instances().find(({ item }) => item.name === name)?.item.uuid;
  return {
    async situation(at) {
      await at.class('offered', { template: { reclaimPolicy } });
      await at.claim({ classRef: at.classRef('offered') });
      await bound(at);
      ({ name } = (await at.resource()).metadata);
      before = uuid(at);
    },
    says: () => says,
    where: (at) => at.run(`${offer(at, name)} 2>&1 || true`),
    async act(at) {
      const output = await at.run(`${offer(at, name)} 2>&1 || true`);
      const [retain = 'true'] = /kubectl patch \S+ \S+ --type=merge -p '[^']*'/.exec(output) ?? [];
      await at.run(retain);
      await at.run(`kubectl delete fancysqlinstance -n ${at.namespace} db`);
      await at.run(offer(at, name));
      await at.claim({ resourceRef: favouriteRef(name) }, 'next');
    },
    ends: async (at) => uuid(at) === before && (await at.usable('next')),
  };
};

/** Situations beside those of the catalogue. In some no advice leads to a claim that can be used: its team has no right. */
export const moreClaimRows = {
  'a class without Create is refused, and corrected': {
    situation: () => Promise.resolve(),
    where: (at) => refusedClass(at, { managementPolicies: ['Observe', 'Update'] }),
    says: () => 'specTemplate.managementPolicies: Invalid value',
    async act(at) {
      await at.class('policed', { template: { managementPolicies: ['Observe', 'Create', 'Update'] } });
      await at.claim({ classRef: at.classRef('policed') });
    },
  },
  'a claim names a class that cannot exist': {
    situation: (at) => at.claim({ classRef: { ...at.classRef(), name: 'Bad_Name' } }),
    says: () => 'correct spec.classRef: no object can have that name',
    reason: 'ClassNotFound',
    fault: 'missing class',
    act: (at) => at.editClaim({ classRef: at.classRef() }),
  },
  'a quota refuses the Secret of a claim': {
    async situation(at) {
      await quotaOnSecrets(at);
      await at.claim();
    },
    says: () => advice.allowRequest,
    reason: 'RequestRefused',
    act: (at) => at.run(`kubectl delete quota -n ${at.namespace} few`),
  },
  'the plugin offers a Bound resource that its policy deletes': offerBound(
    'Delete',
    'set reclaimPolicy: Retain',
  ),
  'the plugin offers a Bound resource that its policy retains': offerBound('Retain', 'keeps its data'),
  'the administrator observes the database of another team': {
    situation: takenName,
    says: () => 'create another claim with another external name',
    reason: 'Conflict',
    fault: 'name taken',
    async act(at) {
      assert.doesNotMatch(await at.messages(), /Observe|favouritedbinstance\./);
      await at.editPolicies((await at.resource()).metadata.name, ['Observe']);
    },
    async ends(at) {
      const { name } = (await at.resource()).metadata;
      const messages = await at.messagesOf(FavouriteDBInstanceKind, { name });
      if (!messages.includes('is not set in the external system')) return false;
      assert.equal(await at.usable(), false);
      assert.equal(await at.fixture.cluster.find(SecretKind, secretKey(at)), undefined);
      return true;
    },
  },
} satisfies Readonly<Record<string, Row>>;

const network = (at: Place): Promise<unknown> =>
  at.create(NetworkKind, 'net', {
    providerRef: { name: 'favourite' },
    forProvider: { cidr: '10.0.0.0/16' },
  });

/** A claim of a class whose resources refer to a network. */
async function networkedBy(at: Place, reference: object): Promise<void> {
  await at.class('networked', { template: { forProvider: { fancinessLevel: 3, ...reference } } });
  await at.claim({ classRef: at.classRef('networked') });
}
