import type { Collection } from '../collection.ts';
import { AwsProblem } from '../problem.ts';
import type { Action, Call } from '../service.ts';
import { noInstance, noSubnet, noVpc } from './missing.ts';
import type { Tags } from './parameters.ts';
import { givenTags, listOf, textsOf } from './parameters.ts';
import { instancesOf, subnetsOf, vpcsOf } from './stored.ts';

interface Tagged {
  readonly tags: Tags;
}

/** Changes the tags of each thing that a request names. Throws AwsProblem before anything is changed. */
function changeTags(call: Call, change: (tags: Tags) => Tags): object {
  const named = textsOf(call.params, 'ResourceId').map((id) => ({ id, collection: collectionOf(call, id) }));
  for (const { id, collection } of named) if (collection.get(id) === undefined) throw missing(id);
  for (const { id, collection } of named)
    collection.change(id, (item) => ({ ...item, tags: change(item.tags) }));
  return { return: true };
}

function collectionOf(call: Call, id: string): Collection<Tagged> {
  if (id.startsWith('vpc-')) return vpcsOf(call) as unknown as Collection<Tagged>;
  if (id.startsWith('subnet-')) return subnetsOf(call) as unknown as Collection<Tagged>;
  if (id.startsWith('i-')) return instancesOf(call) as unknown as Collection<Tagged>;
  throw new AwsProblem('InvalidID', `The ID '${id}' is not valid`);
}

function missing(id: string): AwsProblem {
  if (id.startsWith('vpc-')) return noVpc(id);
  if (id.startsWith('subnet-')) return noSubnet(id);
  return noInstance(id);
}

export const tagActions: Readonly<Record<string, Action>> = {
  CreateTags(call) {
    const tags = givenTags(call.params);
    return changeTags(call, (before) => {
      const after = { ...before, ...tags };
      if (Object.keys(after).length > 50) {
        throw new AwsProblem(
          'TagLimitExceeded',
          'The maximum number of tags for this resource has been reached.',
        );
      }
      return after;
    });
  },
  DeleteTags(call) {
    const keys = listOf(call.params, 'Tag').map((one) => (one as { readonly Key?: string }).Key);
    return changeTags(call, (before) =>
      Object.fromEntries(Object.entries(before).filter(([key]) => !keys.includes(key))),
    );
  },
};
