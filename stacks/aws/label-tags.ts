import type { Managed } from '../../package/stack.ts';
import { labelsNamed, withParameter } from '../../package/stack.ts';
import { rdsInstanceWords } from './db-instance/rds-instance-words.ts';
import type { Tags } from './tags.ts';

/** The managed resource with the labels of these keys among its tags. An RDSInstance has a list of tags. */
export function withLabelTags<M extends Managed>(managed: M, keys: readonly string[] | undefined): M {
  const labels = labelsNamed(managed, keys);
  if (labels === undefined) return managed;
  const isList = managed.kind === rdsInstanceWords.kind.kind;
  return withParameter(managed, 'tags', (tags) => {
    if (!isList) return { ...(tags as Tags | undefined), ...labels };
    const { of, written } = rdsInstanceWords.tags;
    return written({ ...of(tags), ...labels });
  });
}
