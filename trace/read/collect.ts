import pick from 'lodash/pick.js';
import uniqBy from 'lodash/uniqBy.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { kindKey, objectKey } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import type { Provider, ProviderConfig } from '../../apis/core/v1alpha1/provider.ts';
import type { ObjectReference } from '../../apis/core/v1alpha1/reference.ts';
import type { SecretKey } from '../../apis/core/v1alpha1/secret.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import { restrictsNamespaces } from '../../controllers/claim/may-claim.ts';
import { boundFirst } from '../../controllers/claim/owned-resources.ts';
import { isOwnedBy, namesClaim } from '../../controllers/claim/ownership.ts';
import { previousAmong } from '../../controllers/claim/previous-resources.ts';
import { resourceOf } from '../../controllers/claim-binding/decide.ts';
import { secretKeyOfClaim } from '../../controllers/claim-binding/observe-secrets.ts';
import type { ClaimService } from '../../controllers/claim-service.ts';
import type { ProviderName } from '../../controllers/provider/provider-choice.ts';
import { providerOf } from '../../controllers/provider/provider-choice.ts';
import { LeaseKind } from '../../runtime/process/lease.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import type { Catalogue, KnownKind, Sort } from '../catalogue.ts';
import { objectsOf } from '../catalogue.ts';
import type { Findings, Found, FoundSecret, NeededCredentials, SoughtInVain } from '../model/findings.ts';
import { claimOf, credentialsKeyOf, ownOf, returnableOf, thereOf, unsought } from '../model/findings.ts';
import { hidden } from '../model/hidden-secret.ts';
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

/** The traced object, if it does not exist, and the existing objects of its kind. */
async function inVainAmong({ source }: CollectOptions, found: Findings): Promise<SoughtInVain | undefined> {
  const { known, key } = found.subject;
  const { namespace } = key;
  if (ownOf(found).is !== 'absent') return undefined;
  const kind = objectsOf<KubernetesObject>(known);
  const everywhere = await source.list(kind);
  // The user may have the right for that namespace only.
  const listed =
    everywhere.is === 'withheld' && namespace !== undefined ? await source.list(kind, namespace) : everywhere;
  const isNamespaceAbsent =
    namespace !== undefined && (await source.get(NamespaceKind, { name: namespace })).is === 'absent';
  const there = (thereOf(listed) ?? []).map(({ metadata }) => objectKey(metadata));
  return { key, there, isNamespaceAbsent };
}

async function aroundClaim(options: CollectOptions, { known, key }: Subject): Promise<Partial<Findings>> {
  const { catalogue, source } = options;
  const found = await source.get(objectsOf<Claim>(known), key);
  if (found.is !== 'there') return { claim: found };
  const claim = found.value;
  const services = catalogue.services.filter(({ claim: kind }) => isOf(claim, kind));
  const { resourceRef, classRef } = claim.spec;
  const [classes, named] = await Promise.all([
    Promise.all(
      services.map(async (service) => ({ service, classes: await source.list<Class>(service.class) })),
    ),
    objectNamed<Managed>(options, 'managed', resourceRef),
  ]);
  // All are searched only if the resource that the claim names is not its own.
  const isOwn = named.is === 'there' && isOwnedBy(named.value, claim);
  const naming: Found<readonly Managed[]> = isOwn
    ? { is: 'there', value: [named.value] }
    : await resourcesWhere(
        source,
        services.map(({ managed }) => managed),
        (one) => isOwnedBy(one, claim) || namesClaim(one, claim),
      );
  const owned: Findings['owned'] =
    naming.is === 'there'
      ? { is: 'there', value: naming.value.filter((one) => isOwnedBy(one, claim)) }
      : naming;
  const previous = previousAmong(claim, thereOf(naming) ?? []);
  const returnable = returnableOf(services, claim, thereOf(owned) ?? [], previous);
  const resource = resourceOf(thereOf(owned) ?? [], thereOf(named), returnable);
  const managed: Found<Managed> = resource === undefined ? named : { is: 'there', value: resource };
  const resourceClass = await objectNamed<Class>(options, 'class', classRef);
  const { namespace = '' } = claim.metadata;
  const offered = [
    ...classes.flatMap((found) => thereOf(found.classes) ?? []),
    thereOf(named),
    thereOf(managed),
  ];
  return {
    previousResources: previous,
    namespace:
      returnable !== undefined || offered.some(restrictsNamespaces)
        ? await source.get(NamespaceKind, { name: namespace })
        : unsought,
    claim: found,
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

async function aroundManaged(options: CollectOptions, subject: Subject): Promise<Partial<Findings>> {
  const { source, catalogue } = options;
  const { known, key } = subject;
  const found = await source.get(objectsOf<Managed>(known), key);
  if (found.is !== 'there') return { managed: found };
  const managed = found.value;
  const { claimRef, classRef } = managed.spec;
  const claim = await objectNamed<Claim>(options, 'claim', claimRef);
  const services = catalogue.services.filter((service) => isOf(managed, service.managed));
  const resourceClass = await objectNamed<Class>(options, 'class', classRef);
  return {
    claim,
    services,
    resourceClass,
    managed: found,
    ...(await beneath(options, {
      claim: claimOf({ subject, claim, managed: found }),
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
  const users = await resourcesWhere(
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
  const users = await resourcesWhere(
    source,
    served.map(({ kind }) => kind),
    (managed) => {
      const used = providerOf(managed);
      return used.kind === name.kind && used.name === name.name;
    },
  );
  const providerName = { ...name, kindOf: known.kind, ...neededBy(served[0]?.providers) };
  return { provider, providerName, users, ...(await credentialsOf(source, provider)) };
}

/** The objects around a managed resource, or around one that would be created from a class. */
interface Around {
  readonly claim?: Claim | undefined;
  readonly managed?: Managed | undefined;
  readonly resourceClass: Class | undefined;
  readonly services: readonly ClaimService[];
}

/** The provider and the Secrets of a managed resource, or of one that a class would create. */
async function beneath(
  { catalogue, source }: Pick<CollectOptions, 'catalogue' | 'source'>,
  { claim, managed, resourceClass, services }: Around,
): Promise<Partial<Findings>> {
  const keys = [managed?.spec.writeConnectionSecretToRef, claim && secretKeyOfClaim(claim)];
  const [from, to] = await Promise.all(keys.map((key) => key && secretAt(source, key)));
  const secrets = { source: from, target: to };
  const classService = services.find((service) => resourceClass && isOf(resourceClass, service.class));
  const service = catalogue.managed.find(({ kind }) =>
    managed === undefined
      ? classService && kindKey(kind) === kindKey(classService.managed)
      : isOf(managed, kind),
  );
  const user = managed ?? (resourceClass && { spec: resourceClass.specTemplate });
  if (service === undefined || user === undefined) return { ...secrets, managedService: service };
  const name = providerOf(user);
  const { provider: legacy, providerConfig } = service.providers;
  const kindOf: Kind<Provider | ProviderConfig> = name.kind === 'Provider' ? legacy : providerConfig;
  const provider = await source.get(kindOf, { name: name.name });
  return {
    ...secrets,
    managedService: service,
    providerName: { ...name, kindOf, ...neededBy(service.providers) },
    provider,
    ...(await credentialsOf(source, provider)),
  };
}

const neededBy = (kinds: NeededCredentials | undefined): NeededCredentials =>
  pick(kinds, ['credentialEntries', 'credentialForm']);

/** The Secret with a provider's credentials. */
async function credentialsOf(
  source: Source,
  provider: Found<Provider | ProviderConfig>,
): Promise<Pick<Findings, 'credentials'>> {
  const key = credentialsKeyOf({ provider });
  return key === undefined ? {} : { credentials: await secretAt(source, key) };
}

/** A Secret without its values. */
async function secretAt(source: Source, { namespace, name }: SecretKey): Promise<FoundSecret> {
  const key = { namespace, name };
  const found = await source.get(SecretKind, key);
  return { key, secret: found.is === 'there' ? { ...found, value: hidden(found.value) } : found };
}

/** The object that a reference names; unsought: the reference is empty, or names another sort of object. */
async function objectNamed<T extends KubernetesObject>(
  { source, catalogue }: Pick<CollectOptions, 'catalogue' | 'source'>,
  sort: Sort,
  reference: ObjectReference | undefined,
): Promise<Found<T>> {
  const known = catalogue.referenceKind(reference);
  if (known?.sort !== sort || !reference?.name) return unsought;
  const { name, namespace } = reference;
  const key =
    known.kind.scope === 'Cluster' || namespace === undefined ? { name } : objectKey({ name, namespace });
  return source.get(objectsOf<T>(known), key);
}

/** The wanted managed resources that the user may read. Withheld: there are none, and the user may not read all. */
async function resourcesWhere(
  source: Source,
  kinds: readonly Kind<Managed>[],
  isWanted: (managed: Managed) => boolean,
): Promise<Found<readonly Managed[]>> {
  const lists = await Promise.all(uniqBy(kinds, kindKey).map((kind) => source.list(kind)));
  const value = lists.flatMap((list) => thereOf(list) ?? []).filter(isWanted);
  const isUnknown = value.length === 0 && lists.some(({ is }) => is === 'withheld');
  return isUnknown ? { is: 'withheld' } : { is: 'there', value: boundFirst(value) };
}

async function eventsAround(
  source: Source,
  found: Findings,
): Promise<Pick<Findings, 'events' | 'areEventsWithheld'>> {
  const { managed, resourceClass, provider, source: from, target } = found;
  const objects: readonly (KubernetesObject | undefined)[] = [
    claimOf(found),
    ...[managed, resourceClass, provider].map((each) => thereOf<KubernetesObject>(each)),
    ...[from, target].map((each) => each && thereOf(each.secret)?.secret),
  ];
  const all = await Promise.all(
    objects.flatMap((object) => (object === undefined ? [] : [source.eventsOf(object)])),
  );
  return {
    events: all.flatMap((events) => thereOf(events) ?? []),
    areEventsWithheld: all.some(({ is }) => is === 'withheld'),
  };
}

const isNamed = (reference: ObjectReference | undefined, { kind, group }: Kind): boolean =>
  reference?.kind === kind && (reference.apiVersion ?? '').startsWith(`${group}/`);
const isOf = (object: KubernetesObject, { kind, group }: Kind): boolean =>
  object.kind === kind && object.apiVersion.startsWith(`${group}/`);
