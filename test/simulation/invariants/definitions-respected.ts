import { crdName } from '../../../apis/core/v1alpha1/kind.ts';
import { CustomResourceDefinitionKind } from '../../../runtime/client/install-crds.ts';
import type { InvariantOf } from '../invariant.ts';
import { kinds } from '../kinds.ts';

/**
 * A process lists and watches a kind only if its last read of the definition found every field. It writes only if any
 * earlier read did: then it knows the objects as they were before, and exits when it reads the older definition.
 */
export const definitionsRespected: InvariantOf = (world) => {
  /** By process and definition: whether the last read, and any read, found every field. */
  const reads = new Map<string, { readonly last: boolean; readonly any: boolean }>();
  return {
    name: 'a process acts on no kind whose definition lacks a guard field',
    requested({ by, call }) {
      const [verb, kindName, name = ''] = call.split(' ');
      if (kindName === CustomResourceDefinitionKind.kind) {
        const isWhole = world.cluster.lackedBy(name) === undefined;
        const before = reads.get(`${by} ${name}`);
        reads.set(`${by} ${name}`, { last: isWhole, any: isWhole || before?.any === true });
        return [];
      }
      const kind = kinds.find((each) => each.kind === kindName);
      const field = kind && world.cluster.lackedBy(crdName(kind));
      if (kind === undefined || field === undefined) return [];
      const read = reads.get(`${by} ${crdName(kind)}`);
      const isAllowed = verb === 'list' || verb === 'watch' ? read?.last : read?.any;
      return isAllowed ? [] : [`${by} ${call}, without ${field}`];
    },
  };
};
