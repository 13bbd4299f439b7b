/**
 * The ClusterRoles of the process and of users, which follow from the kinds of the stacks. They are for deploy/, and for
 * authors who deploy their own stacks.
 */
import { Document, isMap, isSeq } from 'yaml';
import type { Kind } from '../apis/core/v1alpha1/kind.ts';
import { compareNames } from '../apis/core/v1alpha1/name-order.ts';
import { StoreConfigKind } from '../apis/core/v1alpha1/store-config.ts';
import { environmentAtRest } from '../controllers/author/environment-at-rest.ts';
import type { Stack } from '../controllers/stack.ts';

/** A rule of RBAC; `because` becomes a comment in the manifest. */
interface RoleRule {
  readonly because?: string;
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Absent: all names. */
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** A ClusterRole; `because` becomes a comment in the manifest. */
export interface RoleOfKinds {
  readonly because: string;
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly rules: readonly RoleRule[];
}

type Resource = Pick<Kind, 'group' | 'plural'>;

const definitionRule = { apiGroups: ['apiextensions.k8s.io'], resources: ['customresourcedefinitions'] };

export interface ClusterRoleOptions {
  /** The prefix of the roles' names; default `services-stack`, as in the bindings of deploy/. */
  readonly name?: string;
}

/** The role for --install-crds, for definitions with these names. */
export const installingRole = (
  definitions: readonly string[],
  { name = 'services-stack' }: ClusterRoleOptions = {},
): RoleOfKinds => {
  return {
    because: 'The rights for --install-crds. Without that flag, apply the definitions by hand.',
    name: `${name}-install-crds`,
    rules: [
      { because: 'RBAC cannot limit creation by name.', ...definitionRule, verbs: ['create'] },
      {
        because: 'Only its own definitions.',
        ...definitionRule,
        resourceNames: definitions,
        verbs: ['get', 'update'],
      },
    ],
  };
};

/** The kinds of stacks, by the rights that they need. */
export interface ServedKinds {
  readonly claims: readonly Resource[];
  readonly classes: readonly Resource[];
  /** Managed kinds that claims provision: the process creates and deletes their objects. */
  readonly provisioned: readonly Resource[];
  /** The other managed kinds: users create and delete their objects. */
  readonly others: readonly Resource[];
  readonly providers: readonly Resource[];
  readonly providerConfigs: readonly Resource[];
}

const nameOf = ({ group, plural }: Resource): string => `${plural}.${group}`;

/** Each kind once, by group and name. */
const each = (kinds: readonly Resource[]): readonly Resource[] =>
  [...new Map(kinds.map((kind) => [nameOf(kind), kind])).values()].toSorted(
    (a, b) => compareNames(a.group, b.group) || compareNames(a.plural, b.plural),
  );

/** The kinds that stacks serve. */
export function servedKinds(stacks: readonly Stack[]): ServedKinds {
  const environment = environmentAtRest();
  const managed = stacks.flatMap((stack) => stack.managed(environment));
  const services = stacks.flatMap(({ claims }) => claims);
  const isProvisioned = (kind: Resource) =>
    services.some((service) => nameOf(service.managed) === nameOf(kind));
  const kinds = managed.map(({ kind }) => kind);
  return {
    claims: each(services.map(({ claim }) => claim)),
    classes: each(services.map((service) => service.class)),
    provisioned: each(kinds.filter(isProvisioned)),
    others: each(kinds.filter((kind) => !isProvisioned(kind))),
    providers: each(managed.map(({ providers: { provider } }) => provider)),
    providerConfigs: each(managed.map(({ providers: { providerConfig } }) => providerConfig)),
  };
}

/** One rule per group, or for several groups with the same resources; `suffix` is a subresource. */
function rules(
  kinds: readonly Resource[],
  verbs: readonly string[],
  { suffix = '', because }: { readonly suffix?: string; readonly because?: string } = {},
): readonly RoleRule[] {
  const byGroup = [...Map.groupBy(kinds, ({ group }) => group)].map(([group, kindsOfGroup]) => ({
    group,
    resources: kindsOfGroup.map(({ plural }) => `${plural}${suffix}`),
  }));
  const alike = Map.groupBy(byGroup, ({ resources }) => resources.join());
  return [...alike.values()].map((same, i) => ({
    ...(i === 0 && because !== undefined && { because }),
    apiGroups: same.map(({ group }) => group),
    resources: same[0]!.resources,
    verbs,
  }));
}

const statuses = (kinds: readonly Resource[]) => rules(kinds, ['patch'], { suffix: '/status' });
const finalizers = (kinds: readonly Resource[]) =>
  rules(kinds, ['update'], {
    suffix: '/finalizers',
    because:
      'The admission plugin OwnerReferencesPermissionEnforcement (OpenShift) requires this for the owner of a Secret.',
  });

/** The rights of the process on the kinds. */
export function kindRoles(
  kinds: ServedKinds,
  { name = 'services-stack' }: ClusterRoleOptions = {},
): readonly RoleOfKinds[] {
  const { claims, classes, provisioned, others, providers, providerConfigs } = kinds;
  const managed = each([...provisioned, ...others]);
  const used = each([...providers, ...providerConfigs, StoreConfigKind]);
  return [
    {
      name: `${name}-claims`,
      because: 'The rights of the process on claims.',
      rules: [
        ...rules(claims, ['get', 'list', 'watch', 'patch']),
        ...statuses(claims),
        ...finalizers(claims),
      ],
    },
    {
      name,
      because: 'The rights of the process on the other kinds.',
      rules: [
        ...rules(provisioned, ['get', 'list', 'watch', 'create', 'patch', 'delete'], {
          because: 'The process also creates and deletes managed resources that claims provision.',
        }),
        ...rules(others, ['get', 'list', 'watch', 'patch'], {
          because: 'Users create and delete the other managed resources.',
        }),
        ...statuses(managed),
        ...finalizers(managed),
        ...rules(classes, ['list', 'watch'], {
          because: 'The process reads classes.',
        }),
        ...rules(used, ['list', 'watch', 'patch'], {
          because: 'The process protects these objects while they are in use, and writes their status.',
        }),
        ...statuses(used),
        {
          because:
            'The process does not act on a kind whose definition is too old, and names the fields that one lacks.',
          ...definitionRule,
          resourceNames: [...claims, ...classes, ...managed, ...used].map(nameOf).toSorted(compareNames),
          verbs: ['get'],
        },
      ],
    },
  ];
}

/** The rights of the process on the kinds, on Secrets and on Events. The right on its Lease is a Role in a namespace. */
export function processRoles(kinds: ServedKinds, options: ClusterRoleOptions = {}): readonly RoleOfKinds[] {
  const { name = 'services-stack' } = options;
  return [
    ...kindRoles(kinds, options),
    {
      name: `${name}-secrets`,
      because:
        'Connection Secrets, and the credentials that Providers and ProviderConfigs name. The process watches Secrets of the\n' +
        'type connection.crossplane.io/v1alpha1 and reads others by name. RBAC cannot limit it to these types.\n' +
        'deploy/namespaced binds this role in single namespaces. See docs/tenancy.md.',
      rules: [
        {
          apiGroups: [''],
          resources: ['secrets'],
          verbs: ['get', 'list', 'watch', 'create', 'patch', 'delete'],
        },
      ],
    },
    {
      name: `${name}-namespaces`,
      because:
        'The labels of namespaces, for classes and managed resources with a namespaceSelector. Without this right such a\n' +
        'selector allows no namespace. And their UIDs, for kept resources: without this right an administrator cannot give\n' +
        'one back. deploy/namespaced allows only the namespaces that it names.',
      rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] }],
    },
    {
      name: `${name}-events`,
      because:
        'Events of the process. It lists them after a start, so that a restart does not repeat the Warnings that stand.',
      rules: [{ apiGroups: [''], resources: ['events'], verbs: ['list', 'create', 'patch'] }],
    },
  ];
}

const aggregated = (...roles: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(roles.map((role) => [role, 'true']));

/** The rights of users of claims. */
export function userRoles(
  { claims, classes }: Pick<ServedKinds, 'claims' | 'classes'>,
  { name = 'services-stack' }: ClusterRoleOptions = {},
): readonly RoleOfKinds[] {
  const readers = ['get', 'list', 'watch'];
  return [
    {
      name: `${name}-claims-edit`,
      because:
        "For users. Its labels add it to the cluster's own roles admin and edit, and to Crossplane's. A user who can edit a\n" +
        'namespace can create claims there.',
      labels: aggregated(
        'rbac.authorization.k8s.io/aggregate-to-admin',
        'rbac.authorization.k8s.io/aggregate-to-edit',
        'rbac.crossplane.io/aggregate-to-admin',
        'rbac.crossplane.io/aggregate-to-edit',
      ),
      rules: rules(claims, [...readers, 'create', 'update', 'patch', 'delete', 'deletecollection']),
    },
    {
      name: `${name}-claims-view`,
      because: "Its labels add it to the cluster's own role view.",
      labels: aggregated(
        'rbac.authorization.k8s.io/aggregate-to-view',
        'rbac.crossplane.io/aggregate-to-view',
      ),
      rules: rules(claims, readers),
    },
    {
      name: `${name}-browse`,
      because:
        'To read classes. They are cluster-scoped, so bind this with a ClusterRoleBinding, for example to the group\n' +
        'system:authenticated.',
      labels: aggregated('rbac.crossplane.io/aggregate-to-browse'),
      rules: rules(classes, readers),
    },
  ];
}

/** The manifest of one role, with its comments. */
function manifestOf({ because, name, labels, rules }: RoleOfKinds): string {
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, ...(labels && { labels }) },
    rules: rules.map(({ because: _, ...rule }) => rule),
  };
  const document = new Document(role, { aliasDuplicateObjects: false });
  const items = document.get('rules');
  if (isSeq(items)) {
    for (const [i, item] of items.items.entries()) {
      if (!isMap(item)) continue;
      const why = rules[i]?.because;
      if (why !== undefined) item.commentBefore = ` ${why}`;
      // Lists on one line, except lists of names, which are long.
      for (const { key, value } of item.items) if (isSeq(value)) value.flow = String(key) !== 'resourceNames';
    }
  }
  const comment = because.replaceAll(/^/gm, '# ');
  return `${comment}\n${document.toString({ lineWidth: 0, flowCollectionPadding: false })}`;
}

/** Roles as one file of manifests, for `kubectl apply`. `origin` is its first line, which names the generator. */
export const roleManifests = (roles: readonly RoleOfKinds[], origin: string): string =>
  `# ${origin}\n${roles.map(manifestOf).join('---\n')}`;
