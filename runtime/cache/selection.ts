import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import type { Selection } from '../client/kubernetes-client.ts';

type Requirement = (object: KubernetesObject) => boolean;

/** The value at a field selector's path (`metadata.name`, `type`); '' if it is absent, as in the API server. */
function fieldAt(object: object, path: string): string {
  let value: unknown = object;
  for (const key of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[key];
  return value === undefined || value === null ? '' : String(value);
}

function fieldRequirement(term: string): Requirement {
  const [, path = '', operator = '', value = ''] = /^([^=!]+)(==|=|!=)(.*)$/.exec(term) ?? [];
  if (path === '') throw new Error(`cannot parse field selector: ${term}`);
  return (object) => (fieldAt(object, path) === value) === (operator !== '!=');
}

function labelRequirement(term: string): Requirement {
  const [, setKey, setOperator, members = ''] = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/.exec(term) ?? [];
  if (setKey !== undefined) {
    const values = members.split(',').map((member) => member.trim());
    return (object) => {
      const label = object.metadata.labels?.[setKey];
      const isMember = label !== undefined && values.includes(label);
      return setOperator === 'in' ? isMember : !isMember;
    };
  }
  const [, key, operator, value = ''] = /^([^=!\s]+)\s*(==|=|!=)\s*(.*)$/.exec(term) ?? [];
  if (key !== undefined) {
    return (object) => (object.metadata.labels?.[key] === value) === (operator !== '!=');
  }
  const isNegated = term.startsWith('!');
  const name = isNegated ? term.slice(1).trim() : term;
  return (object) => (object.metadata.labels?.[name] !== undefined) !== isNegated;
}

/** The comma-separated terms of a selector. Commas inside parentheses do not separate. */
const termsOf = (selector: string | undefined): readonly string[] =>
  (selector ?? '')
    .split(/,(?![^(]*\))/)
    .map((term) => term.trim())
    .filter((term) => term !== '');

/**
 * Whether the API server would list an object under this selection. Supports the syntax of kubectl's `-l` and
 * `--field-selector`, without escapes. Throws on a field selector that it cannot parse.
 */
export function selects({
  namespace,
  labelSelector,
  fieldSelector,
}: Selection): (object: KubernetesObject) => boolean {
  const requirements = [
    ...termsOf(labelSelector).map(labelRequirement),
    ...termsOf(fieldSelector).map(fieldRequirement),
  ];
  return (object) =>
    (namespace === undefined ||
      object.metadata.namespace === undefined ||
      object.metadata.namespace === namespace) &&
    requirements.every((isMet) => isMet(object));
}
