import { throwError } from 'rxjs';
import type { Kind, ObjectKey } from '../../apis/core/v1alpha1/kind.ts';
import { objectKey } from '../../apis/core/v1alpha1/kind.ts';
import { ApiError } from '../../runtime/client/errors.ts';
import type { KubernetesClient } from '../../runtime/client/kubernetes-client.ts';
import type { Binding, PolicyRule, Role } from '../docs/manifests.ts';
import { objectOf, objectsOf } from '../docs/manifests.ts';

/** Something that RBAC is asked about. */
export interface Deed {
  readonly verb: string;
  readonly group: string;
  /** `plural`, or `plural/subresource`. */
  readonly resource: string;
  /** Of lists, watches and creations: none. */
  readonly name?: string | undefined;
}

/** Whether an API server would allow something. */
export type Rights = (deed: Deed) => boolean;

/** The permissions of roles: only those that one of them names. */
function rightsOf(roles: readonly Pick<Role, 'rules'>[]): Rights {
  const rightText = (verb: string, group: string, resource: string): string => `${verb} ${group}/${resource}`;
  const allowed = new Map<string, readonly PolicyRule[]>();
  for (const rule of roles.flatMap(({ rules }) => rules)) {
    for (const group of rule.apiGroups) {
      for (const resource of rule.resources) {
        for (const verb of rule.verbs) {
          const key = rightText(verb, group, resource);
          allowed.set(key, [...(allowed.get(key) ?? []), rule]);
        }
      }
    }
  }
  return ({ verb, group, resource, name = '' }) =>
    (allowed.get(rightText(verb, group, resource)) ?? []).some(
      ({ resourceNames }) => resourceNames === undefined || resourceNames.includes(name),
    );
}

/**
 * The permissions of the process by deploy/, with the stacks of the demo: those of the roles that are bound to its account,
 * in any namespace.
 */
export function installedRights(): Rights {
  const objects = ['deploy', 'deploy/optional'].flatMap(objectsOf);
  const account = 'services-stack';
  const bound = objects
    .filter((object): object is Binding => /^(Cluster)?RoleBinding$/.test(object.kind ?? ''))
    .filter(({ subjects }) => subjects.some(({ name }) => name === account));
  return rightsOf(bound.map(({ roleRef }) => objectOf<Role>(objects, roleRef.kind, roleRef.name)));
}

/** The same; and with kinds that are not in it, which are a test's own, anything. */
export function rightsOfTests(): Rights {
  const rights = installedRights();
  const isInstalled = ({ group, resource }: Deed): boolean =>
    rights({ verb: 'list', group, resource: resource.split('/')[0]! });
  return (deed) => rights(deed) || !isInstalled(deed);
}

/** A client with these permissions: other requests are forbidden, and reported to `denied`. */
export function granted(
  client: KubernetesClient,
  rights: Rights,
  denied: (deed: Deed) => void = () => {},
): KubernetesClient {
  /** The answer to what is not allowed; undefined: it is. */
  function refusal(verb: string, { group, plural }: Kind, key?: ObjectKey, subresource?: string) {
    const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
    const deed: Deed = { verb, group, resource, name: key?.name };
    if (rights(deed)) return undefined;
    denied(deed);
    const what = `cannot ${verb} resource "${resource}" in API group "${group}"`;
    return new ApiError(`${resource}.${group} "${key?.name ?? ''}" is forbidden: ${what}`, {
      code: 403,
      reason: 'Forbidden',
    });
  }
  function check(...requested: Parameters<typeof refusal>): void {
    const error = refusal(...requested);
    if (error !== undefined) throw error;
  }
  return {
    serverVersion: (signal) => client.serverVersion(signal),
    serves: (kind, signal) => client.serves(kind, signal),
    async get(kind, key, signal) {
      check('get', kind, key);
      return client.get(kind, key, signal);
    },
    async list(kind, options, signal) {
      check('list', kind);
      return client.list(kind, options, signal);
    },
    watch(kind, options) {
      const error = refusal('watch', kind);
      return error === undefined ? client.watch(kind, options) : throwError(() => error);
    },
    async create(kind, object, signal) {
      check('create', kind);
      return client.create(kind, object, signal);
    },
    async patch(kind, key, patch, options, signal) {
      check('patch', kind, key, options?.subresource);
      return client.patch(kind, key, patch, options, signal);
    },
    async apply(kind, key, fields, options, signal) {
      check('patch', kind, key);
      return client.apply(kind, key, fields, options, signal);
    },
    async replace(kind, object, signal) {
      check('update', kind, objectKey(object.metadata));
      return client.replace(kind, object, signal);
    },
    async delete(kind, key, preconditions, signal) {
      check('delete', kind, key);
      return client.delete(kind, key, preconditions, signal);
    },
  };
}
