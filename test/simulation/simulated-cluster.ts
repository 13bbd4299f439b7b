import memoize from 'lodash/memoize.js';
import omit from 'lodash/omit.js';
import unset from 'lodash/unset.js';
import type { Kind, KubernetesObject, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { crdName } from '../../apis/core/v1alpha1/kind.ts';
import { customResourceDefinition } from '../../apis/crd.ts';
import { CustomResourceDefinitionKind } from '../../runtime/client/install-crds.ts';
import type { ListOptions, ListPage } from '../../runtime/client/kubernetes-client.ts';
import type { Clock } from '../../runtime/time/clock.ts';
import type { Admission } from '../../testing/memory-cluster.ts';
import { MemoryCluster } from '../../testing/memory-cluster.ts';
import { isDefinition } from '../fakes/admission.ts';
import { admitted } from '../fakes/enforcing-cluster.ts';
import { kinds } from './kinds.ts';

const definitions = kinds.filter(isDefinition);

/** The served definition of a name, without a field; undefined: none of ours has that name. */
const served = memoize(
  (name: string, lacked: string | undefined): object | undefined => {
    const definition = definitions.find((each) => crdName(each) === name);
    const made = definition && customResourceDefinition(definition);
    const schema = 'spec.versions[0].schema.openAPIV3Schema';
    if (lacked !== undefined) unset(made, [schema, ...lacked.split('.')].join('.properties.'));
    return made;
  },
  (...parts) => parts.join(' '),
);

/**
 * An API server whose definition of a kind may lack a field for some time. It drops the field from each object that it
 * serves or stores at that time. An object that is not written has the field again afterwards.
 */
export class SimulatedCluster extends MemoryCluster {
  /** By the names of definitions. */
  readonly #lacked: Map<string, string>;

  /** `isLoose`: no definition has a schema or rules. */
  constructor(now?: Clock['now'], { isLoose = false } = {}) {
    const lacked = new Map<string, string>();
    const admit: Admission = isLoose ? (_kind, object) => object : admitted;
    super(now, { admit: (kind, ...given) => without(lacked.get(crdName(kind)), admit(kind, ...given)) });
    this.#lacked = lacked;
  }

  /** Replaces the definition of a kind by one without a field, such as `spec.claimRef`; undefined: by the whole one. */
  define(kind: Kind, lacked: string | undefined): void {
    if (lacked === undefined) this.#lacked.delete(crdName(kind));
    else this.#lacked.set(crdName(kind), lacked);
  }

  /** The field that the definition of a name lacks now. */
  lackedBy(name: string): string | undefined {
    return this.#lacked.get(name);
  }

  override get<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): T {
    const isDefinitionRead = kind.kind === CustomResourceDefinitionKind.kind;
    const definition = isDefinitionRead ? served(key.name, this.#lacked.get(key.name)) : undefined;
    return (definition as T | undefined) ?? super.get(kind, key);
  }

  override find<T extends KubernetesObject>(kind: Kind<T>, key: ObjectKey): T | undefined {
    return this.#shown(kind, super.find(kind, key));
  }

  override list<T extends KubernetesObject>(kind: Kind<T>, options: ListOptions): ListPage<T> {
    const page = super.list(kind, options);
    return { ...page, items: page.items.map((object) => this.#shown(kind, object)) };
  }

  override watch(...[kind, selection, tell]: Parameters<MemoryCluster['watch']>): () => void {
    const shown: typeof tell = (record) => tell({ ...record, object: this.#shown(kind, record.object) });
    return super.watch(kind, selection, shown);
  }

  #shown<T extends object | undefined>(kind: Kind, object: T): T {
    return object && without(this.#lacked.get(crdName(kind)), object);
  }
}

/** The object without a field; the same object if there is no field to drop. */
const without = <T extends object>(field: string | undefined, object: T): T =>
  field === undefined ? object : (omit(object, field) as T);
