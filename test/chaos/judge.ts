import isEqual from 'lodash/isEqual.js';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import { getCondition, isConditionTrue } from '../../apis/core/v1alpha1/condition.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { externalName, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import { controllerOf } from '../../apis/core/v1alpha1/reference.ts';
import type { Secret } from '../../apis/core/v1alpha1/secret.ts';
import type { Intents } from './intents.ts';
import { intentKey, noEdits } from './intents.ts';
import type { External, Observed } from './observed.ts';
import { systemOf, withoutPassword } from './observed.ts';

/** Something that is not as it should be: an object, and what is wrong with it. */
export interface Finding {
  readonly object: string;
  readonly problem: string;
}

/** Facts from earlier observations that must never change. */
export interface Memory {
  /** UID of a managed resource → identity of its external resource. */
  readonly identities: ReadonlyMap<string, string>;
  /** Identity of an external resource that policies keep → who had it. */
  readonly retained: ReadonlyMap<string, string>;
}

export const noMemory: Memory = { identities: new Map(), retained: new Map() };

export interface Judgement {
  /** Faults at any moment. */
  readonly violations: readonly Finding[];
  /** Faults if they last: the desired state is not reached yet. */
  readonly unmet: readonly Finding[];
  readonly memory: Memory;
}

const keyOf = (object: KubernetesObject): string => intentKey(object.kind, object.metadata);
const passwordIn = (secret: Secret | undefined): string =>
  Buffer.from(secret?.data?.password ?? '', 'base64').toString();
const keepsExternal = ({ spec }: Managed): boolean =>
  spec.deletionPolicy === undefined ? spec.reclaimPolicy === 'Retain' : spec.deletionPolicy === 'Orphan';

/** Groups of more than one. */
const repeated = <T>(values: readonly T[], by: (value: T) => string | undefined): readonly (readonly T[])[] =>
  [...Map.groupBy(values, by)].flatMap(([key, group]) =>
    key !== undefined && group.length > 1 ? [group] : [],
  );

/** Compares what is with what users asked for, and with what was before. */
export function judge(intents: Intents, observed: Observed, memory: Memory): Judgement {
  const { claims, managed, secrets, externals } = observed;
  const violations: Finding[] = [];
  const unmet: Finding[] = [];
  const secretAt = new Map(secrets.map((secret) => [keyOf(secret), secret]));
  const managedAt = new Map(managed.map((each) => [keyOf(each), each]));
  const externalAt = new Map(externals.map((each) => [`${each.system} ${each.name}`, each]));
  const externalOf = (each: Managed): External | undefined =>
    externalAt.get(`${systemOf[each.kind]} ${externalName(each) ?? each.metadata.name}`);
  const sourceOf = ({ spec }: Managed): Secret | undefined => {
    const to = spec.writeConnectionSecretToRef;
    return to && secretAt.get(intentKey('Secret', to));
  };

  // One to one, always.
  for (const group of repeated(managed, ({ spec }) => spec.claimRef?.uid)) {
    violations.push({ object: group.map(keyOf).join(', '), problem: 'belong to one claim' });
  }
  for (const group of repeated(externals, ({ system, owner }) => `${system} ${owner}`)) {
    const names = group.map(({ name }) => name).join(', ');
    violations.push({ object: `${group[0]!.system} ${names}`, problem: 'belong to one managed resource' });
  }

  // A secret never holds another claim's data.
  const ownerOfPassword = new Map(
    managed.flatMap((each) => {
      const password = passwordIn(sourceOf(each));
      return password === '' ? [] : [[password, each] as const];
    }),
  );
  for (const secret of secrets) {
    const claim = controllerOf(secret);
    const other = ownerOfPassword.get(passwordIn(secret));
    const isOfClaim = claim !== undefined && claims.some(({ kind }) => kind === claim.kind);
    if (!isOfClaim || other?.spec.claimRef?.uid === undefined || other.spec.claimRef.uid === claim.uid)
      continue;
    violations.push({
      object: keyOf(secret),
      problem: `holds the password of ${keyOf(other)}, another claim's`,
    });
  }

  // An existing external resource keeps its identity, and a kept one stays.
  const identities = new Map(memory.identities);
  const retained = new Map(memory.retained);
  for (const each of managed) {
    const external = externalOf(each);
    const { uid = '' } = each.metadata;
    if (external === undefined || wasDeleted(each)) continue;
    const before = identities.get(uid);
    if (before !== undefined && before !== external.identity) {
      violations.push({ object: keyOf(each), problem: 'its external resource was destroyed and made again' });
    }
    identities.set(uid, external.identity);
    if (each.status?.bindingPhase === 'Bound' && keepsExternal(each))
      retained.set(external.identity, keyOf(each));
  }
  const present = new Set(externals.map(({ identity }) => identity));
  for (const [identity, owner] of memory.retained) {
    if (!present.has(identity))
      violations.push({ object: owner, problem: 'what its policy keeps was destroyed' });
  }

  // The writes of users are there.
  for (const object of [...claims, ...managed]) {
    const { labels, annotations, forProvider, secretKeys } = intents.edits.get(keyOf(object)) ?? noEdits;
    const { spec } = object as Managed;
    const lost = [
      ...missing('label', labels, object.metadata.labels),
      ...missing('annotation', annotations, object.metadata.annotations),
      ...missing('spec.forProvider', forProvider, spec.forProvider as Record<string, unknown> | undefined),
    ];
    for (const what of lost) violations.push({ object: keyOf(object), problem: `a user's ${what} is lost` });
    const data = sourceOf(object as Managed)?.data;
    for (const what of missing('key', secretKeys, data)) {
      unmet.push({ object: keyOf(object), problem: `a user's ${what} of its secret is lost` });
    }
  }

  // Claims.
  const wantedUids = new Set<string>();
  for (const intent of intents.claims.values()) {
    const key = intentKey(intent.kind, intent);
    const claim = claims.find((each) => keyOf(each) === key);
    const tell = (problem: string): void => void unmet.push({ object: key, problem });
    if (!intent.isWanted) {
      if (claim !== undefined) tell('is not gone');
      continue;
    }
    if (claim === undefined) {
      violations.push({ object: key, problem: 'is gone, and nobody deleted it' });
      continue;
    }
    wantedUids.add(claim.metadata.uid ?? '');
    for (const problem of problemsOfClaim(claim)) tell(problem);
  }

  function problemsOfClaim(claim: Claim): readonly string[] {
    const { resourceRef, writeConnectionSecretToRef } = claim.spec;
    const problems = [...problemsOfConditions(claim)];
    const { uid = '', namespace = '' } = claim.metadata;
    if (claim.status?.bindingPhase !== 'Bound')
      problems.push(`is ${claim.status?.bindingPhase ?? 'in no phase'}`);
    const own =
      resourceRef && managedAt.get(intentKey(resourceRef.kind ?? '', { name: resourceRef.name ?? '' }));
    if (own === undefined) return [...problems, 'has no managed resource'];
    if (own.spec.claimRef?.uid !== uid) problems.push(`${keyOf(own)} does not name it`);
    if (own.status?.bindingPhase !== 'Bound') problems.push(`${keyOf(own)} is not Bound`);
    if (writeConnectionSecretToRef !== undefined) {
      const target = secretAt.get(intentKey('Secret', { namespace, name: writeConnectionSecretToRef.name }));
      const source = sourceOf(own);
      if (target === undefined) problems.push('its secret is missing');
      else if (!isEqual(target.data, source?.data)) problems.push('its secret differs from its source');
    }
    return problems;
  }

  function problemsOfSecret(each: Managed, external: External): readonly string[] {
    if (withoutPassword.has(each.kind)) return [];
    const source = sourceOf(each);
    const password = passwordIn(source);
    if (source === undefined || password === '') return ['has no password in its secret'];
    const isWrong = external.password !== undefined && external.password !== password;
    return isWrong ? ['its password does not work'] : [];
  }

  // Managed resources.
  for (const each of managed) {
    const made = intents.managed.get(keyOf(each));
    const tell = (problem: string): void => void unmet.push({ object: keyOf(each), problem });
    const { claimRef } = each.spec;
    const { bindingPhase } = each.status ?? {};
    if (made !== undefined && !made.isWanted) tell('is not gone');
    else if (bindingPhase !== 'Released' && claimRef?.uid !== undefined && !wantedUids.has(claimRef.uid))
      tell('names a claim that is gone');
    else if (made === undefined && claimRef === undefined) tell('belongs to no claim');
    if (wasDeleted(each)) continue;
    for (const problem of problemsOfConditions(each)) tell(problem);
    const external = externalOf(each);
    if (external === undefined) {
      tell('has no external resource');
      continue;
    }
    for (const problem of problemsOfSecret(each, external)) tell(problem);
    const { forProvider = {} } = each.spec;
    for (const what of missing('field', external.fields, forProvider as Record<string, unknown>)) {
      tell(`${what} is not in force`);
    }
  }
  for (const [key, intent] of intents.managed) {
    if (intent.isWanted && !managedAt.has(key)) {
      violations.push({ object: key, problem: 'is gone, and nobody deleted it' });
    }
  }

  // Nothing is left over.
  const leave = (object: string): void => void unmet.push({ object, problem: 'is left over' });
  const names = new Set(
    managed.map((each) => `${systemOf[each.kind]} ${externalName(each) ?? each.metadata.name}`),
  );
  for (const { system, name } of externals) {
    if (!names.has(`${system} ${name}`)) leave(`${system} ${name}`);
  }
  const uids = new Set([...claims, ...managed].map(({ metadata }) => metadata.uid));
  for (const secret of secrets) {
    const owner = controllerOf(secret);
    if (owner === undefined || !uids.has(owner.uid)) leave(keyOf(secret));
  }
  return { violations, unmet, memory: { identities, retained } };
}

/** Ready and Synced, as far as they are not True; with what they say. */
function problemsOfConditions(object: Claim | Managed): readonly string[] {
  const conditions = object.status?.conditions;
  return ['Ready', 'Synced']
    .filter((type) => !isConditionTrue(conditions, type))
    .map((type) => {
      const { status, reason = 'no reason', message = '' } = getCondition(conditions, type);
      return `${type} is ${status} (${reason}) ${message.slice(0, 200)}`.trim();
    });
}

/** The entries of `wanted` that `found` lacks, in words. */
const missing = (
  noun: string,
  wanted: Readonly<Record<string, unknown>>,
  found: Readonly<Record<string, unknown>> | undefined,
): readonly string[] =>
  Object.entries(wanted).flatMap(([name, value]) => (found?.[name] === value ? [] : [`${noun} ${name}`]));
