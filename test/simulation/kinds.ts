import type { Kind, KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { NamespaceKind } from '../../apis/core/v1alpha1/namespace.ts';
import { referenceIsOfKind } from '../../apis/core/v1alpha1/reference.ts';
import { SecretKind } from '../../apis/core/v1alpha1/secret.ts';
import * as defined from '../fakes/defined-kinds.ts';

const { cloudKinds } = defined;
const kindsOfClouds: readonly Kind[] = Object.values(cloudKinds).flat();

export const claimKinds: readonly Kind[] = [...defined.claimKinds, ...cloudKinds.claims];
export const classKinds: readonly Kind[] = [...defined.classKinds, ...cloudKinds.classes];
export const managedKinds: readonly Kind[] = [...defined.managedKinds, ...cloudKinds.managed];
export const providerKinds: readonly Kind[] = [...defined.providerKinds, ...cloudKinds.providers];

/** Whether its stack is in every simulated world. */
export const isUsual = (kind: Kind): boolean => !kindsOfClouds.includes(kind);

/** Those whose external names are given by their systems. */
export const assignedKinds: readonly Kind[] = defined.assignedKinds;

/** Every kind that people write in a simulated cluster. */
export const kinds: readonly Kind[] = [SecretKind, NamespaceKind, ...defined.definitions, ...kindsOfClouds];

type Typed = Pick<KubernetesObject, 'apiVersion' | 'kind'>;

/** The kind of an object, by its apiVersion and kind. Undefined if people write no such object in a simulated cluster. */
export const knownKindOf = (object: Typed): Kind | undefined =>
  kinds.find((kind) => referenceIsOfKind(object, kind));

/** The same. Throws if there is none. */
export function kindOf(object: Typed): Kind {
  const found = knownKindOf(object);
  if (found === undefined) throw new Error(`no kind ${object.apiVersion} ${object.kind} is simulated`);
  return found;
}

export const isManagedKind = (object: Typed): boolean => managedKinds.includes(kindOf(object));
