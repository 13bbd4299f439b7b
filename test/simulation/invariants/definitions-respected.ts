import { crdName } from '../../../apis/crd.ts';
import type { InvariantOf } from '../invariant.ts';
import { kinds } from '../kinds.ts';

/**
 * A process that read the whole definition may write until it has read the older one, because it knows the objects as they
 * were before. It lists and watches only after a read of the whole definition.
 */
export const definitionsRespected: InvariantOf = (world) => {
  /** By process and definition, whether each read was of the whole definition. */
  const reads = new Map<string, readonly boolean[]>();
  return {
    name: 'a process acts on no kind whose definition lacks a guard field',
    asked({ by, call }) {
      const [verb, asked, name] = call.split(' ');
      const kind = kinds.find((each) => each.kind === asked);
      const definition = kind === undefined ? `${name}` : crdName(kind);
      const read = reads.get(`${by} ${definition}`) ?? [];
      const field = world.cluster.lackedBy(definition);
      if (asked === 'CustomResourceDefinition')
        reads.set(`${by} ${definition}`, [...read, field === undefined]);
      if (kind === undefined || field === undefined) return [];
      const isAllowed = verb === 'list' || verb === 'watch' ? read.at(-1) : read.includes(true);
      return isAllowed ? [] : [`${by} ${call}, without ${field}`];
    },
  };
};
