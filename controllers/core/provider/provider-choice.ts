import type { Managed, ManagedSpec } from '../../../apis/core/v1alpha1/managed.ts';
import { annotationKeys, wasDeleted } from '../../../apis/core/v1alpha1/meta.ts';
import { shouldOnlyObserve } from '../management-policies.ts';

/** Where a managed resource gets its credentials. */
export interface ProviderName {
  readonly kind: 'Provider' | 'ProviderConfig';
  readonly name: string;
}

/** `ProviderConfig/default`. */
export const providerKey = ({ kind, name }: ProviderName): string => `${kind}/${name}`;

const isOptional = ({ providerConfigRef }: ManagedSpec): boolean =>
  providerConfigRef?.policy?.resolution === 'Optional';

/** What serves whoever names no ProviderConfig. */
const unnamed = ({ providerRef }: ManagedSpec): ProviderName =>
  providerRef?.name
    ? { kind: 'Provider', name: providerRef.name }
    : { kind: 'ProviderConfig', name: 'default' };

/** What an Optional reference led to before anything was made; undefined before that, and if it is not Optional. */
function resolvedBefore({ metadata, spec }: Managed): ProviderName | undefined {
  const [kind, name] = metadata.annotations?.[annotationKeys.resolvedProvider]?.split('/') ?? [];
  if (!isOptional(spec) || !name || (kind !== 'Provider' && kind !== 'ProviderConfig')) return undefined;
  return { kind, name };
}

/** What a managed resource may get its credentials from, what it prefers first. */
export function providersOf({ spec }: Managed): readonly [ProviderName, ...ProviderName[]] {
  const { providerConfigRef } = spec;
  if (!providerConfigRef?.name) return [unnamed(spec)];
  const named: ProviderName = { kind: 'ProviderConfig', name: providerConfigRef.name };
  return isOptional(spec) ? [named, unnamed(spec)] : [named];
}

/** The provider that a managed resource uses, as far as the object itself says. */
export const providerOf = (managed: Managed): ProviderName =>
  resolvedBefore(managed) ?? providersOf(managed)[0];

/**
 * The provider that a managed resource uses. A reference whose policy has the resolution Optional is passed over while
 * what it names does not exist. What it led to when the external resource was made stays: another provider may be
 * another account, where it would be made a second time. With the policy resolve `Always` it is an error if the
 * reference leads elsewhere by now, which says what to do; otherwise (`IfNotPresent`) it is not looked up again.
 */
export function chooseProvider(managed: Managed, exists: (provider: ProviderName) => boolean): ProviderName {
  const candidates = providersOf(managed);
  const found = candidates.find(exists) ?? candidates[0];
  const before = resolvedBefore(managed);
  if (before === undefined || providerKey(before) === providerKey(found)) return found;
  const { spec } = managed;
  if (spec.providerConfigRef?.policy?.resolve !== 'Always' || wasDeleted(managed)) return before;
  if (shouldOnlyObserve(spec)) return found;
  throw new Error(
    `spec.providerConfigRef leads to ${found.kind} ${found.name} now, but ${before.kind} ${before.name} was used so far; if both reach the same account, remove the annotation ${annotationKeys.resolvedProvider}`,
  );
}

/** What is to be on record before anything is made: which provider an Optional reference led to. */
export const providerRecord = (
  { spec }: Managed,
  provider: ProviderName,
): Readonly<Record<string, string>> =>
  isOptional(spec) ? { [annotationKeys.resolvedProvider]: providerKey(provider) } : {};
