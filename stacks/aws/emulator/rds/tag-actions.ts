import type { Call } from '../service.ts';
import type { StoredInstance } from './db-instance.ts';
import { existing, instanceArn, instancesOf } from './instances.ts';
import type { Parameters } from './parameters.ts';
import { parametersOf } from './parameters.ts';
import { invalidValue } from './problems.ts';
import { tagsIn } from './request-parts.ts';

export function addTagsToResource(call: Call): object {
  const parameters = parametersOf(call.params);
  changeTags(call, parameters, (tags) => ({ ...tags, ...tagsIn(parameters) }));
  return {};
}

export function removeTagsFromResource(call: Call): object {
  const parameters = parametersOf(call.params);
  const keys = parameters.list('TagKeys', 'member') ?? [];
  changeTags(call, parameters, (tags) =>
    Object.fromEntries(Object.entries(tags).filter(([key]) => !keys.includes(key))),
  );
  return {};
}

export function listTagsForResource(call: Call): object {
  const { item } = existing(call, identifierByArn(call, parametersOf(call.params)));
  return { TagList: { Tag: Object.entries(item.tags).map(([Key, Value]) => ({ Key, Value })) } };
}

function changeTags(
  call: Call,
  parameters: Parameters,
  change: (tags: StoredInstance['tags']) => StoredInstance['tags'],
): void {
  const { id, item } = existing(call, identifierByArn(call, parameters));
  instancesOf(call).change(id, () => ({ ...item, tags: change(item.tags) }));
}

/** The identifier of the DB instance that the ARN of the request names. Throws AwsProblem. */
function identifierByArn(call: Call, parameters: Parameters): string {
  const arn = parameters.needed('ResourceName');
  const [, id] = /^arn:aws:rds:[^:]+:\d{12}:db:(.+)$/.exec(arn) ?? [];
  if (id === undefined || instanceArn(call, id) !== arn) throw invalidValue(`Invalid resource name: ${arn}`);
  return id;
}
