import { changing, clientAdvice, invalid, isOwnerTag } from '../../../package/stack.ts';

type Tags = Readonly<Record<string, string>>;

/** The largest number of tags of a resource, in all services of AWS that we use. AWS's own tags do not count. */
const mostTags = 50;

/** All tags that a resource will have. Throws an ExternalError before a request that AWS refuses for their number. */
export function countedTags(tags: Tags): Tags {
  const keys = Object.keys(tags).filter((key) => !/^aws:/i.test(key));
  if (keys.length <= mostTags) return tags;
  const ours = keys.filter(isOwnerTag).length;
  const field = changing('tags');
  throw invalid(
    `AWS takes ${mostTags} tags of a resource, of which ${ours} are ours, and there would be ${keys.length - ours} others; ${clientAdvice.change(field.fields ?? [])}`,
    field,
  );
}
