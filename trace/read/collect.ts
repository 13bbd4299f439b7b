import uniqBy from 'lodash/uniqBy.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey, objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { externalName } from '../../apis/core/v1alpha1/meta.ts';
import type { Namespace } from '../../apis/core/v1alpha1/namespace.ts';
import { labelsOf, NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';
import { referencesEqual, referenceTo } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret, SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import type { StoreConfig } from '../../apis/core/v1alpha1/store-config.ts';
import { StoreConfigKind } from '../../apis/core/v1alpha1/store-config.ts';
import { isOwnerNamed } from '../../controllers/author/check-ownership.ts';
import type { ClaimNamespace } from '../../controllers/core/claim/may-claim.ts';
import { restrictsNamespaces, whyNotFor } from '../../controllers/core/claim/may-claim.ts';
import { boundFirst } from '../../controllers/core/claim/owned-resources.ts';
import { isOwnedBy } from '../../controllers/core/claim/ownership.ts';
import { decideBinding, resourceOf } from '../../controllers/core/claim-binding/decide.ts';
import { withResource } from '../../controllers/core/claim-binding/desired.ts';
import { secretKeyOfClaim } from '../../controllers/core/claim-binding/observe-secrets.ts';
import type { ClaimService } from '../../controllers/core/claim-service.ts';
import type { ManagedService } from '../../controllers/core/managed/setup.ts';
import type { ProviderName } from '../../controllers/core/provider/provider-choice.ts';
import { providerOf } from '../../controllers/core/provider/provider-choice.ts';
import { LeaseKind } from '../../runtime/process/leader-election.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import type { Catalogue, KnownKind } from '../catalogue.ts';
import { objectsOf } from '../catalogue.ts';
import { credentialsKeyOf, tokenKeyOf } from '../model/credentials-key.ts';
import { isOneOf } from '../model/fault-parts.ts';
import type { Findings, Found, FoundSecret, Holding, SoughtInVain } from '../model/findings.ts';
import { ownOf, thereOf, unsought } from '../model/findings.ts';
import { hidden } from '../model/hidden-secret.ts';
import { isMarkHidden, markIn, nameIn } from '../model/holding.ts';
import { syncedOf } from '../model/view.ts';
import { decidedOnValues } from './decided-on-values.ts';
import type { Source } from './source.ts';

export interface Subject {
  readonly known: KnownKind;
  readonly key: ObjectKey;
}

export interface CollectOptions {
  readonly catalogue: Catalogue;
  readonly source: Source;
  readonly clock: Pick<Clock, 'now'>;
  /** The lease of the controllers' leader election; undefined: it is not read. */
  readonly lease?: { readonly namespace: string; readonly name: string } | undefined;
  readonly runs?: Findings['runs'];
}

const nothing: Findings = {
  now: new Date(0),
  subject: { known: undefined as never, key: { name: '' } },
  claim: unsought,
  namespace: unsought,
  services: [],
  classes: [],
  resourceClass: unsought,
  managed: unsought,
  named: unsought,
  owned: unsought,
  referenced: [],
  provider: unsought,
  users: unsought,
  lease: unsought,
  events: [],
  areEventsWithheld: false,
};

/**
 * Reads an object and the objects that it is connected to by references. A missing object or right is a finding. Throws
 * the errors of the source.
 */
export async function collect(options: CollectOptions, subject: Subject): Promise<Findings> {
  const { source, clock, lease, runs } = options;
  const reading: Readonly<Record<KnownKind['sort'], () => Promise<Partial<Findings>>>> = {
    claim: () => aroundClaim(options, subject),
    managed: () => aroundManaged(options, subject),
    class: () => aroundClass(options, subject),
    provider: () => aroundProvider(options, subject),
  };
  const [around, leased] = await Promise.all([
    reading[subject.known.sort](),
    lease === undefined ? unsought : source.get(LeaseKind, lease),
  ]);
  const found = { ...nothing, subject, ...around };
  const [events, inVain] = await Promise.all([eventsAround(source, found), inVainAmong(options, found)]);
  return { ...found, ...events, inVain, lease: leased, now: clock.now(), runs };
}

/** The missing object, and the existing objects of its kind. */
async function inVainAmong(
  { source, catalogue }: CollectOptions,
  found: Findings,
): Promise<SoughtInVain | undefined> {
  const { subject, claim, managed, provider, providerName } = found;
  const own = ownOf(found);
  const { resourceRef } = thereOf(claim)?.spec ?? {};
  const named = catalogue.ofReference(resourceRef);
  const [kind, key]: readonly [Kind | undefined, ObjectKey] =
    own.is === 'absent'
      ? [objectsOf(subject.known), subject.key]
      : managed.is === 'absent' && resourceRef?.name !== undefined && named !== undefined
        ? [objectsOf(named), { name: resourceRef.name }]
        : [provider.is === 'absent' ? providerName?.kindOf : undefined, { name: providerName?.name ?? '' }];
  if (kind === undefined) return undefined;
  const { namespace } = key;
  const everywhere = await source.list(kind);
  // The user may have the right for that namespace only.
  const listed =
    everywhere.is === 'withheld' && namespace !== undefined ? await source.list(kind, namespace) : everywhere;
  const isNamespaceAbsent =
    namespace !== undefined && (await source.get(NamespaceKind, { name: namespace })).is === 'absent';
  const theClaim = own.is === 'absent' ? undefined : thereOf(claim);
  const listedObjects: readonly KubernetesObject[] = thereOf(listed) ?? [];
  const isOfResources =
    theClaim !== undefined && named?.sort === 'managed' && kindKey(named.kind) === kindKey(kind);
  const meant = isOfResources
    ? await claimable(source, listedObjects as readonly Managed[], theClaim)
    : listedObjects;
  return { key, there: meant.map(({ metadata }) => objectKey(metadata)), isNamespaceAbsent };
}

/** The managed resources that the claim can have. The names of the others are not shown to its team. */
async function claimable(
  source: Source,
  resources: readonly Managed[],
  claim: Claim,
): Promise<readonly Managed[]> {
  const { namespace: name = '' } = claim.metadata;
  const found = resources.some(restrictsNamespaces)
    ? await source.get<Namespace>(NamespaceKind, { name })
    : unsought;
  const namespace = found.is === 'there' ? { name, labels: labelsOf(found.value) } : undefined;
  return resources.filter((one) => isOneOf(decisionOver(claim, one, namespace), ['SetClaimRef', 'NotReady']));
}

/** The binding decision if the claim named this managed resource. */
function decisionOver(claim: Claim, named: Managed, namespace: ClaimNamespace | undefined) {
  const secrets = { isWanted: false, hasCopy: false, stale: [], controlled: [] };
  const forbidden = whyNotFor(namespace, named);
  const naming = withResource(claim, named);
  const facts = { responsibility: 'this', owned: [], named, managed: named, forbidden, secrets } as const;
  return decideBinding({ ...facts, claim: naming }).name;
}

async function aroundClaim(options: CollectOptions, { known, key }: Subject): Promise<Partial<Findings>> {
  const claim = await options.source.get(objectsOf<Claim>(known), key);
  return claim.is === 'there' ? ofClaim(options, claim.value) : { claim };
}

async function ofClaim(options: CollectOptions, claim: Claim): Promise<Partial<Findings>> {
  const { catalogue, source } = options;
  const services = catalogue.services.filter(({ claim: kind }) => isOf(claim, kind));
  const { resourceRef, classRef } = claim.spec;
  const [classes, named] = await Promise.all([
    Promise.all(
      services.map(async (service) => ({ service, classes: await source.list<Class>(service.class) })),
    ),
    objectNamed(options, 'managed', resourceRef),
  ]);
  // All are searched only if the resource that the claim names is not its own.
  const isOwn = named.is === 'there' && isOwnedBy(named.value, claim);
  const owned: Findings['owned'] = isOwn
    ? { is: 'there', value: [named.value] }
    : await ownedBy(source, services, claim);
  const resource = resourceOf(thereOf(owned) ?? [], thereOf(named));
  const managed: Found<Managed> = resource === undefined ? named : { is: 'there', value: resource };
  const listed = classes.find(({ service }) => isNamed(classRef, service.class))?.classes;
  const resourceClass: Found<Class> =
    classRef === undefined
      ? unsought
      : listed?.is === 'there'
        ? inList(listed.value, classRef.name)
        : await objectNamed(options, 'class', classRef);
  const { namespace = '' } = claim.metadata;
  const offered = [
    ...classes.flatMap((found) => thereOf(found.classes) ?? []),
    thereOf(named),
    thereOf(managed),
  ];
  return {
    namespace: offered.some(restrictsNamespaces)
      ? await source.get(NamespaceKind, { name: namespace })
      : unsought,
    claim: { is: 'there', value: claim },
    services,
    classes,
    resourceClass,
    named,
    owned,
    managed,
    ...(await beneath(options, {
      claim,
      managed: resource,
      resourceClass: thereOf(resourceClass),
      services,
    })),
  };
}

async function aroundManaged(options: CollectOptions, { known, key }: Subject): Promise<Partial<Findings>> {
  const { source, catalogue } = options;
  const found = await source.get(objectsOf<Managed>(known), key);
  if (found.is !== 'there') return { managed: found };
  const managed = found.value;
  const { claimRef, classRef } = managed.spec;
  const claim = await objectNamed(options, 'claim', claimRef);
  const services = catalogue.services.filter((service) => isOf(managed, service.managed));
  const resourceClass = await objectNamed(options, 'class', classRef);
  return {
    claim,
    services,
    resourceClass,
    managed: found,
    ...(await beneath(options, {
      claim: thereOf(claim),
      managed,
      resourceClass: thereOf(resourceClass),
      services: [],
    })),
  };
}

async function aroundClass(options: CollectOptions, { known, key }: Subject): Promise<Partial<Findings>> {
  const { source, catalogue } = options;
  const resourceClass = await source.get(objectsOf<Class>(known), key);
  const services = catalogue.services.filter((service) => kindKey(service.class) === kindKey(known.kind));
  if (resourceClass.is !== 'there') return { resourceClass, services };
  const users = await usersAmong(
    source,
    services.map(({ managed }) => managed),
    ({ spec: { classRef } }) => isNamed(classRef, known.kind) && classRef?.name === key.name,
  );
  return {
    resourceClass,
    services,
    users,
    ...(await beneath(options, { resourceClass: resourceClass.value, services })),
  };
}

async function aroundProvider(options: CollectOptions, { known, key }: Subject): Promise<Partial<Findings>> {
  const { source, catalogue } = options;
  const provider = await source.get(objectsOf<Provider | ProviderConfig>(known), key);
  const served = catalogue.managed.filter(({ providers }) =>
    [providers.provider, providers.providerConfig].some((kind) => kindKey(kind) === kindKey(known.kind)),
  );
  const isLegacy = served.some(({ providers }) => kindKey(providers.provider) === kindKey(known.kind));
  const name: ProviderName = { kind: isLegacy ? 'Provider' : 'ProviderConfig', name: key.name };
  const users = await usersAmong(
    source,
    served.map(({ kind }) => kind),
    (managed) => {
      const used = providerOf(managed);
      return used.kind === name.kind && used.name === name.name;
    },
  );
  const { credentialEntries } = served[0]?.providers ?? {};
  const providerName = { ...name, kindOf: known.kind, credentialEntries };
  return { provider, providerName, users, ...(await credentialsOf(options, thereOf(provider))) };
}

/** The objects around a managed resource, or around one that would be created from a class. */
interface Around {
  readonly claim?: Claim | undefined;
  readonly managed?: Managed | undefined;
  readonly resourceClass: Class | undefined;
  readonly services: readonly ClaimService[];
}

/** The provider, the references and the Secrets of a managed resource, or of one that a class would create. */
async function beneath(
  { catalogue, source }: Pick<CollectOptions, 'catalogue' | 'source'>,
  { claim, managed, resourceClass, services }: Around,
): Promise<Partial<Findings>> {
  const service = serviceOf(catalogue, managed, resourceClass, services);
  const secrets = await connectionSecrets(source, { claim, managed, service });
  if (service === undefined) return secrets;
  const user = managed ?? (resourceClass && { spec: resourceClass.specTemplate });
  const [chosen, referenced, holding] = await Promise.all([
    user && providerIn(source, service, providerOf(user)),
    Promise.all(
      uniqBy(
        managed === undefined ? [] : (service.references ?? []).map(({ to: kind }) => kind),
        kindKey,
      ).map(async (kind) => ({ kind, objects: await source.list(kind) })),
    ),
    managed && holdingOf({ catalogue, source }, managed, service),
  ]);
  return {
    managedService: service,
    referenced,
    providerName: chosen?.name,
    provider: chosen?.found ?? unsought,
    ...(chosen && (await credentialsOf({ catalogue, source }, thereOf(chosen.found)))),
    holding,
    ...secrets,
  };
}

/** The two connection Secrets without their values, and what the controllers decide on the values. */
async function connectionSecrets(
  source: Source,
  {
    claim,
    managed,
    service,
  }: Pick<Around, 'claim' | 'managed'> & { readonly service: ManagedService | undefined },
): Promise<Pick<Findings, 'source' | 'target' | 'decided'>> {
  const keys = { source: managed?.spec.writeConnectionSecretToRef, target: claim && secretKeyOfClaim(claim) };
  const [from, to] = await Promise.all(
    [keys.source, keys.target].map(
      async (key): Promise<Found<Secret>> => (key === undefined ? unsought : source.get(SecretKind, key)),
    ),
  );
  const read = { source: from ?? unsought, target: to ?? unsought };
  return {
    source: keys.source && withoutValues(keys.source, read.source),
    target: keys.target && withoutValues(keys.target, read.target),
    decided: decidedOnValues({ claim, managed, service, ...read }),
  };
}

/** The owner of the external resource with the wanted name, if the managed resource reports another owner. */
async function holdingOf(
  { catalogue: { managed: services }, source }: Pick<CollectOptions, 'catalogue' | 'source'>,
  managed: Managed,
  { providers }: ManagedService,
): Promise<Holding | undefined> {
  const { error } = syncedOf(managed);
  const mark = markIn(error);
  if (mark !== undefined) {
    const kind = services.find((one) => isOwnerNamed({ ...mark, name: '' }, one.kind, ''))?.kind;
    const name = nameIn(mark);
    if (kind === undefined || name === undefined) return undefined;
    const holders = await usersAmong(source, [kind], ({ metadata }) =>
      isOwnerNamed(mark, kind, metadata.name),
    );
    return { marked: { kind, name }, holders };
  }
  if (!isMarkHidden(error)) return undefined;
  const ofStack = services.filter(
    (one) => kindKey(one.providers.providerConfig) === kindKey(providers.providerConfig),
  );
  const holders = await usersAmong(
    source,
    ofStack.map(({ kind }) => kind),
    (one) => externalName(one) === externalName(managed) && one.metadata.uid !== managed.metadata.uid,
  );
  return { holders };
}

function serviceOf(
  { managed: all }: Catalogue,
  managed: Managed | undefined,
  resourceClass: Class | undefined,
  services: readonly ClaimService[],
): ManagedService | undefined {
  if (managed !== undefined) return all.find(({ kind }) => isOf(managed, kind));
  const made = services.find((service) => resourceClass && isOf(resourceClass, service.class))?.managed;
  return made && all.find(({ kind }) => kindKey(kind) === kindKey(made));
}

/** The Provider or ProviderConfig of this name. */
async function providerIn(
  source: Source,
  { providers }: ManagedService,
  name: ProviderName,
): Promise<{ readonly name: Findings['providerName']; readonly found: Found<Provider | ProviderConfig> }> {
  const kindOf: Kind<Provider | ProviderConfig> =
    name.kind === 'Provider' ? providers.provider : providers.providerConfig;
  const found = await source.get(kindOf, { name: name.name });
  return { name: { ...name, kindOf, credentialEntries: providers.credentialEntries }, found };
}

/** The Secret with a provider's credentials, and the other objects with credentials from it. */
async function credentialsOf(
  { catalogue, source }: Pick<CollectOptions, 'catalogue' | 'source'>,
  provider: Provider | ProviderConfig | undefined,
): Promise<Pick<Findings, 'credentials' | 'sharing'>> {
  const reference = credentialsKeyOf(provider);
  if (provider === undefined || reference === undefined) return {};
  const kinds = catalogue.kinds.filter(({ sort }) => sort === 'provider');
  const isIt = (its: SecretKey | undefined): boolean =>
    its?.namespace === reference.namespace && its.name === reference.name;
  const [credentials, providers, stores] = await Promise.all([
    secretAt(source, reference),
    allOf(source, kinds.map(objectsOf<Provider | ProviderConfig>)),
    allOf<StoreConfig>(source, [StoreConfigKind]),
  ]);
  const sharing: readonly KubernetesObject[] = [
    ...providers.seen.filter(
      (other) => isIt(credentialsKeyOf(other)) && !referencesEqual(referenceTo(other), referenceTo(provider)),
    ),
    ...stores.seen.filter((store) => isIt(tokenKeyOf(store))),
  ];
  const isUnknown = (providers.isWithheld || stores.isWithheld) && sharing.length === 0;
  return { credentials, sharing: isUnknown ? { is: 'withheld' } : { is: 'there', value: sharing } };
}

const secretAt = async (source: Source, key: SecretKey): Promise<FoundSecret> =>
  withoutValues(key, await source.get(SecretKind, key));

const withoutValues = ({ namespace, name }: SecretKey, found: Found<Secret>): FoundSecret => ({
  key: { namespace, name },
  secret: found.is === 'there' ? { ...found, value: hidden(found.value) } : found,
});

/** The objects of each sort. */
interface Sorted {
  readonly claim: Claim;
  readonly managed: Managed;
  readonly class: Class;
}

/** The object that a reference names; unsought: the reference is empty, or names another sort of object. */
async function objectNamed<S extends keyof Sorted>(
  { source, catalogue }: Pick<CollectOptions, 'catalogue' | 'source'>,
  sort: S,
  reference: ObjectReference | undefined,
): Promise<Found<Sorted[S]>> {
  const known = catalogue.ofReference(reference);
  if (known?.sort !== sort || !reference?.name) return unsought;
  const { name, namespace } = reference;
  const key =
    known.kind.scope === 'Cluster' || namespace === undefined ? { name } : objectKey({ name, namespace });
  return source.get(objectsOf<Sorted[S]>(known), key);
}

/** The managed resources that a claim owns. Withheld: the user may not read all, and sees none that it owns. */
async function ownedBy(
  source: Source,
  services: readonly ClaimService[],
  claim: Claim,
): Promise<Findings['owned']> {
  const kinds = services.map(({ managed }) => managed);
  const { seen, isWithheld } = await allOf(source, kinds);
  const owned = boundFirst(seen.filter((one) => isOwnedBy(one, claim)));
  return isWithheld && owned.length === 0 ? { is: 'withheld' } : { is: 'there', value: owned };
}

async function usersAmong(
  source: Source,
  kinds: readonly Kind<Managed>[],
  isUser: (managed: Managed) => boolean,
): Promise<Found<readonly Managed[]>> {
  const { seen, isWithheld } = await allOf(source, kinds);
  return isWithheld ? { is: 'withheld' } : { is: 'there', value: seen.filter(isUser) };
}

/** All objects of these kinds that the user may read, and whether some are withheld. */
async function allOf<Instance extends KubernetesObject>(
  source: Source,
  kinds: readonly Kind<Instance>[],
): Promise<{ readonly seen: readonly Instance[]; readonly isWithheld: boolean }> {
  const lists = await Promise.all(uniqBy(kinds, kindKey).map((kind) => source.list(kind)));
  const seen = lists.flatMap((list) => thereOf(list) ?? []);
  return { seen, isWithheld: lists.some(({ is }) => is === 'withheld') };
}

async function eventsAround(
  source: Source,
  { claim, managed, resourceClass, provider, source: from, target }: Findings,
): Promise<Pick<Findings, 'events' | 'areEventsWithheld'>> {
  const objects: readonly (KubernetesObject | undefined)[] = [
    ...[claim, managed, resourceClass, provider].map((found) => thereOf<KubernetesObject>(found)),
    ...[from, target].map((found) => found && thereOf(found.secret)?.secret),
  ];
  const found = await Promise.all(
    objects.flatMap((object) => (object === undefined ? [] : [source.eventsOf(object)])),
  );
  return {
    events: found.flatMap((events) => thereOf(events) ?? []),
    areEventsWithheld: found.some(({ is }) => is === 'withheld'),
  };
}

const inList = (classes: readonly Class[], name: string | undefined): Found<Class> => {
  const value = classes.find(({ metadata }) => metadata.name === name);
  return value === undefined ? { is: 'absent' } : { is: 'there', value };
};
const isNamed = (reference: ObjectReference | undefined, { kind, group }: Kind): boolean =>
  reference?.kind === kind && (reference.apiVersion ?? '').startsWith(`${group}/`);
const isOf = (object: KubernetesObject, { kind, group }: Kind): boolean =>
  object.kind === kind && object.apiVersion.startsWith(`${group}/`);
