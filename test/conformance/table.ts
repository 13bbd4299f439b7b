import { z } from 'zod';
import { identity, isLate, immutable as keeping } from '../../apis/core/marks.ts';
import type { Definition } from '../../apis/core/schema.ts';
import { optional, text } from '../../apis/core/schema.ts';
import { defineManaged } from '../../apis/core/v1alpha1/define-managed.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { StoreConfigKind } from '../../apis/core/v1alpha1/store-config.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/network.ts';
import { ProviderConfigKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceKind } from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { PostgreSQLDatabaseKind } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-database.ts';
import { PostgreSQLGrantKind } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from '../../stacks/postgresql/kinds/v1alpha1/postgresql-role.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A write of an object, and the answer of an API server. */
export interface Case {
  readonly what: string;
  readonly kind: Definition;
  /** The fields before the write, beside apiVersion, kind and metadata. Absent: the object is new. */
  readonly before?: Fields;
  readonly after: Fields;
  /** The labels of the object itself. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Written through the status subresource. */
  readonly isStatus?: boolean;
  /** The field and the message of the refusal. Absent: the write is accepted. */
  readonly refused?: { readonly field: string; readonly message: string };
  /** The stored fields, if they differ from the written ones. */
  readonly stored?: Fields;
}

/** The object of a case, under a name. */
export const objectOf = (
  kind: Definition,
  name: string,
  fields: Fields,
  labels: Readonly<Record<string, string>> = {},
): KubernetesObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name, ...(kind.scope === 'Namespaced' ? { namespace: 'default' } : {}), labels },
  ...fields,
});

const small = {
  apiVersion: apiVersionOf(FavouriteDBInstanceClassKind),
  kind: 'FavouriteDBInstanceClass',
  name: 'small',
};
const resource = {
  apiVersion: apiVersionOf(FavouriteDBInstanceKind),
  kind: 'FavouriteDBInstance',
  name: 'orders-1',
};
const classSelector = { matchLabels: { size: 'small' } };
const hasClass = { classRef: small };
const hasResource = { resourceRef: resource };
const hasBoth = { ...hasClass, ...hasResource };
const secret = (name: string) => ({ writeConnectionSecretToRef: { name } });

const spec = (message: string) => ({ field: 'spec', message });
const forProvider = (message: string) => ({ field: 'spec.forProvider', message });
const fixed = (field: string) => ({ field: `spec.${field}`, message: 'Forbidden: cannot change' });

/** A claim as it is edited; `refused` is the field that may not change. With `isBound` its status shows Bound. */
const claim = (
  what: string,
  before: Fields,
  after: Fields,
  refused?: string,
  { isBound = false }: { readonly isBound?: boolean } = {},
): Case => ({
  what: `a claim: ${what}`,
  kind: FancySQLInstanceKind,
  before: { spec: before, ...(isBound && { status: { bindingPhase: 'Bound' } }) },
  after: { spec: after },
  ...(refused === undefined ? {} : { refused: fixed(refused) }),
});

/** The controllers write the status of a claim with this spec. */
const claimStatus = (what: string, status: Fields, refused?: string, claimFields: Fields = {}): Case => ({
  what: `a claim: ${what}`,
  kind: FancySQLInstanceKind,
  before: { spec: claimFields },
  after: { spec: claimFields, status },
  isStatus: true,
  ...(refused === undefined ? {} : { refused: { field: `status.${refused}`, message: '' } }),
});
const ready = (status: string, lastTransitionTime = '2026-01-02T03:04:05Z') => {
  return { type: 'Ready', status, reason: 'Available', lastTransitionTime };
};

const claims: readonly Case[] = [
  claim(
    'scheduling records the class',
    { classSelector },
    { classSelector, classRef: { ...small, uid: 'u' } },
  ),
  claim('defaulting records the class', {}, hasClass),
  claim('binding records the resource', hasClass, hasBoth),
  claim('the class reference gets its UID', hasClass, { classRef: { ...small, uid: 'u' } }),
  claim('the resource reference stays', hasResource, { resourceRef: { ...resource } }),
  claim('a secret is asked for later', hasResource, { ...hasResource, ...secret('a') }),
  claim('the secret is another', { ...hasResource, ...secret('a') }, { ...hasResource, ...secret('b') }),
  claim(
    'the version is corrected before there is a resource',
    { ...hasClass, version: '9' },
    { ...hasClass, version: '5.7' },
  ),
  claim('the selector changes before a class is chosen', { classSelector }, { classSelector: {} }),
  claim('a mistyped class is corrected', hasClass, { classRef: { ...small, name: 'large' } }),
  claim('a mistyped class is removed', hasClass, { classSelector }),
  claim(
    'the selector changes before there is a resource',
    { classSelector, ...hasClass },
    { classSelector: {}, ...hasClass },
  ),
  claim('a mistyped resource is corrected before the claim is Bound', hasResource, {
    resourceRef: { ...resource, name: 'b' },
  }),
  claim('a mistyped resource is removed before the claim is Bound', hasResource, {}),
  ...(
    [
      ['the class is another', { classRef: { ...small, name: 'large' } }],
      ['the class is of another kind', { classRef: { ...small, kind: 'Other' } }],
      ['the class reference is removed', {}],
      ['the class reference is emptied', { classRef: {} }],
    ] as const
  ).map(([what, after]) =>
    claim(`${what} once there is a resource`, hasBoth, { ...after, ...hasResource }, 'classRef'),
  ),
  claim('a class comes once there is a resource', hasResource, hasBoth, 'classRef'),
  ...(
    [
      ['the resource is another', { resourceRef: { ...resource, name: 'b' } }],
      ['the resource is in another namespace', { resourceRef: { ...resource, namespace: 'b' } }],
      ['the resource reference is removed', {}],
    ] as const
  ).flatMap(([what, after]) => [
    claim(`${what}, beside a class`, hasBoth, { ...hasClass, ...after }, 'resourceRef'),
    claim(`${what}, while Bound`, hasResource, after, 'resourceRef', { isBound: true }),
  ]),
  claim(
    'a Bound claim asks for another secret',
    hasResource,
    { resourceRef: { ...resource, uid: 'u' }, ...secret('b') },
    undefined,
    { isBound: true },
  ),
  ...(
    [
      [
        'classSelector',
        'a selector changes',
        { ...hasClass, classSelector },
        { ...hasClass, classSelector: {} },
      ],
      ['classSelector', 'a selector is removed', { ...hasClass, classSelector }, hasClass],
      ['classSelector', 'a selector comes', hasClass, { ...hasClass, classSelector }],
      ['version', 'the version changes', { version: '5.7' }, { version: '8' }],
      ['version', 'the version comes', {}, { version: '8' }],
      ['version', 'the version is removed', { version: '8' }, {}],
    ] as const
  ).map(([field, what, before, after]) =>
    claim(`${what} in a Bound claim`, { ...before, ...hasBoth }, { ...after, ...hasBoth }, field, {
      isBound: true,
    }),
  ),
  {
    what: 'a claim of PostgreSQL: the version changes until it is Bound',
    kind: PostgreSQLInstanceKind,
    before: { spec: { ...hasBoth, engineVersion: '17' } },
    after: { spec: { ...hasBoth, engineVersion: '18' } },
  },
  claimStatus(
    'its controllers write the status of what names class and resource',
    {
      bindingPhase: 'Bound',
      observedGeneration: 1,
      binding: { name: 'orders' },
      conditions: [ready('True')],
    },
    undefined,
    { classSelector, ...hasBoth, version: '5.7' },
  ),
  claimStatus('a phase that does not exist', { bindingPhase: 'Stuck' }, 'bindingPhase'),
  claimStatus(
    'a condition of a time that is none',
    { conditions: [ready('True', 'yesterday')] },
    'conditions[0].lastTransitionTime',
  ),
  claimStatus(
    'two conditions of a type',
    { conditions: ['True', 'False'].map((each) => ready(each)) },
    'conditions[1]',
  ),
];

/** A managed resource as it is edited. `status` is what it has before. */
const managed = (
  kind: Definition,
  what: string,
  before: Fields,
  after: Fields,
  refused?: Case['refused'],
  status?: Fields,
): Case => ({
  what: `${kind.kind}: ${what}`,
  kind,
  before: { spec: before, ...(status && { status }) },
  after: { spec: after },
  ...(refused === undefined ? {} : { refused }),
});

const exists: Fields = { externalIdentity: '{}' };

/** An edit that is allowed until the external resource exists. */
const untilCreated = (
  kind: Definition,
  what: string,
  before: Fields,
  after: Fields,
  refused: Case['refused'],
): readonly Case[] => [
  managed(kind, `${what} before the creation`, before, after),
  managed(kind, `${what} before the creation, with a status`, before, after, undefined, {
    bindingPhase: 'Unbindable',
  }),
  managed(kind, `${what} while the external resource exists`, before, after, refused, exists),
];

/** Every field of a kind's forProvider that keeps its value, with two values it may have. */
const immutableFields: readonly (readonly [kind: Definition, field: string, one: string, other: string])[] = [
  [FavouriteDBInstanceKind, 'name', 'a', 'b'],
  [FavouriteDBInstanceKind, 'version', '5.7', '8.0'],
  [AmbivalentDBInstanceKind, 'name', 'a', 'b'],
  [AmbivalentDBInstanceKind, 'engineVersion', '5.7', '8.0'],
  [NetworkKind, 'cidr', '10.0.0.0/16', '10.1.0.0/16'],
  [PostgreSQLRoleKind, 'name', 'a', 'b'],
  [PostgreSQLDatabaseKind, 'name', 'a', 'b'],
  [PostgreSQLDatabaseKind, 'engineVersion', '17', '18'],
  [PostgreSQLDatabaseKind, 'encoding', 'UTF8', 'LATIN1'],
  [PostgreSQLDatabaseKind, 'lcCollate', 'C', 'en_US.utf8'],
  [PostgreSQLDatabaseKind, 'lcCType', 'C', 'en_US.utf8'],
  [PostgreSQLDatabaseKind, 'template', 'template0', 'template1'],
];

/** The edits of a field that keeps its value. `beside`: other fields that the kind needs. */
const keeps = (kind: Definition, field: string, one: unknown, other: unknown, beside: Fields = {}) => {
  const given = (value: unknown) => ({ forProvider: { ...beside, [field]: value } });
  const without = { forProvider: beside };
  const refused = fixed(`forProvider.${field}`);
  const isFilledIn = kind.marks !== undefined && isLate(kind.marks, field);
  const comesAndGoes = (
    [
      [`${field} is added`, without, given(one)],
      [`${field} is removed`, given(one), without],
    ] as const
  ).flatMap(([what, before, after]) =>
    untilCreated(kind, what, before, after, isFilledIn ? undefined : refused),
  );
  return [
    managed(
      kind,
      `${field} stays`,
      given(one),
      { ...given(one), deletionPolicy: 'Orphan' },
      undefined,
      exists,
    ),
    ...untilCreated(kind, `${field} changes`, given(one), given(other), refused),
    ...comesAndGoes,
  ];
};

const immutable: readonly Case[] = immutableFields.flatMap(([kind, field, one, other]) => [
  ...keeps(kind, field, one, other),
  managed(
    kind,
    `${field} of initProvider changes, which has done its work`,
    { forProvider: {}, initProvider: { [field]: one } },
    { forProvider: {}, initProvider: { [field]: other } },
    undefined,
    exists,
  ),
]);

const ownOwner = {
  field: 'spec.forProvider.owner',
  message: 'Forbidden: a database cannot change between its own owner role and a given one',
};
const ownedBy = (owner: string) => ({ forProvider: { owner } });
const nothing = { forProvider: {} };
const observed = { managementPolicies: ['Observe'] };
const imported = { managementPolicies: ['Observe', 'LateInitialize'] };
const databases: readonly Case[] = [
  ...[observed, imported].map((policies) =>
    managed(
      PostgreSQLDatabaseKind,
      `what is only observed gets the owner it has (${policies.managementPolicies.at(-1)})`,
      { ...policies, ...nothing },
      { ...policies, forProvider: { owner: 'a', encoding: 'UTF8', lcCollate: 'C', lcCType: 'C' } },
    ),
  ),
  ...(
    [
      [
        'an import is taken over with the owner it has',
        { ...imported, ...ownedBy('a') },
        { managementPolicies: ['*'], ...ownedBy('a') },
      ],
      [
        'a reference is resolved',
        { forProvider: { ownerRef: { name: 'a' } } },
        { forProvider: { ownerRef: { name: 'a' }, owner: 'a' } },
      ],
      ['the owner is another', ownedBy('a'), ownedBy('b')],
    ] as const
  ).map(([what, before, after]) => managed(PostgreSQLDatabaseKind, what, before, after)),
  ...(
    [
      ['an owner is given', nothing, ownedBy('a')],
      ['an owner is given for the creation', nothing, { ...nothing, initProvider: { owner: 'a' } }],
      ['the owner is removed', ownedBy('a'), nothing],
      [
        'the owner of what is only observed is removed',
        { ...observed, ...ownedBy('a') },
        { ...observed, ...nothing },
      ],
    ] as const
  ).flatMap(([what, before, after]) => untilCreated(PostgreSQLDatabaseKind, what, before, after, ownOwner)),
];

const claimRef = {
  apiVersion: apiVersionOf(FancySQLInstanceKind),
  kind: 'FancySQLInstance',
  namespace: 'team-a',
  name: 'orders',
  uid: 'u-1',
};
const ownerIs = (reference?: Fields) => ({ forProvider: {}, ...(reference && { claimRef: reference }) });
const ownership: readonly Case[] = [
  ...(
    [
      ['names another claim', { ...claimRef, name: 'other' }],
      ['has another UID', { ...claimRef, uid: 'u-2' }],
      ['has no UID any more', { ...claimRef, uid: undefined }],
      ['is removed', undefined],
    ] as const
  ).flatMap(([what, after]) =>
    [undefined, 'Unbound', 'Released', 'Bound'].map((bindingPhase) =>
      managed(
        PostgreSQLDatabaseKind,
        `claimRef ${what} with the phase ${bindingPhase}`,
        ownerIs(claimRef),
        ownerIs(after),
        bindingPhase === 'Bound' ? fixed('claimRef') : undefined,
        bindingPhase === undefined ? undefined : { bindingPhase },
      ),
    ),
  ),
  ...(
    [
      ['claimRef is added where it is missing, with the phase Bound', ownerIs(), ownerIs(claimRef)],
      [
        'a Bound resource with the same claimRef is edited',
        ownerIs(claimRef),
        { ...ownerIs(claimRef), reclaimPolicy: 'Retain' },
      ],
    ] as const
  ).map(([what, before, after]) =>
    managed(PostgreSQLDatabaseKind, what, before, after, undefined, { bindingPhase: 'Bound' }),
  ),
];

const created = (
  kind: Definition,
  what: string,
  after: Fields,
  refused?: Case['refused'],
  stored?: Fields,
): Case => ({
  what: `${kind.kind}: ${what}`,
  kind,
  after,
  ...(refused === undefined ? {} : { refused }),
  ...(stored === undefined ? {} : { stored }),
});

const parameters = (values: Fields, more: Fields = {}) => ({ spec: { ...more, forProvider: values } });
const unprivileged = { role: 'a', database: 'd' };
const needsPrivileges = forProvider('a grant needs privileges');
const inItself = { field: 'spec.forProvider.memberOf', message: 'a role cannot be a member of itself' };
const grants: readonly Case[] = [
  ...(
    [
      ['of privileges', { ...unprivileged, privileges: ['CONNECT'] }, undefined],
      ['of a membership', { role: 'a', memberOfRef: { name: 'b' } }, undefined],
      ['of both', { memberOf: 'a', privileges: ['ALL'] }, forProvider('not both')],
      ['of nothing', unprivileged, needsPrivileges],
      ['of a membership of a role in itself', { role: 'a', memberOf: 'a' }, inItself],
      ['the same by references', { roleRef: { name: 'a' }, memberOfRef: { name: 'a' } }, inItself],
      [
        'the same by references to a database',
        { roleDatabaseRef: { name: 'a' }, memberOfDatabaseRef: { name: 'a' } },
        inItself,
      ],
      [
        'with a reference that led to memberOf',
        { roleRef: { name: 'r' }, role: 'a', memberOf: 'a' },
        undefined,
      ],
      ['by references to two roles', { roleRef: { name: 'a' }, memberOfRef: { name: 'b' } }, undefined],
      [
        'by references of the same name to two kinds',
        { roleRef: { name: 'a' }, memberOfDatabaseRef: { name: 'a' } },
        undefined,
      ],
    ] as const
  ).map(([what, values, refused]) => created(PostgreSQLGrantKind, what, parameters(values), refused)),
  ...[['Observe'], ['Observe', 'LateInitialize'], ['Observe', 'Delete']].map((managementPolicies) =>
    created(
      PostgreSQLGrantKind,
      `that is only observed (${managementPolicies}) without its privileges`,
      parameters(unprivileged, { managementPolicies }),
    ),
  ),
  managed(
    PostgreSQLGrantKind,
    'an observed grant can become managed without its privileges',
    { ...observed, forProvider: unprivileged },
    { managementPolicies: ['*'], forProvider: unprivileged },
    needsPrivileges,
  ),
];

/** A kind of another author: a required field, names that CEL reserves, and values of every shape. */
export const ForeignKind = defineManaged(
  {
    group: 'conformance.example.org',
    version: 'v1',
    kind: 'Foreign',
    plural: 'foreigns',
    stack: 'example',
    description: 'A kind of no stack of ours.',
  },
  z
    .object({
      region: text('Where it is.'),
      namespace: optional(keeping(text('A reserved word.'))),
      'dashed-name__x': keeping(optional(text('Odd characters.'))),
      size: optional(keeping(z.int().describe('A number.'))),
      tags: optional(keeping(z.record(z.string(), z.string()).describe('A map.'))),
      zones: optional(keeping(z.array(z.string()).describe('A list.'))),
      place: optional(
        keeping(z.object({ in: optional(z.int().describe('Another.')) }).describe('An object.')),
      ),
      net: optional(
        z
          .object({
            in: optional(identity(z.int().describe('In it.'))),
            mtu: optional(z.int().describe('Not.')),
          })
          .describe('An object, one field of which keeps its value.'),
      ),
    })
    .describe('Its parameters.'),
  {},
);

const region = 'forProvider.region is required';
const foreign: readonly Case[] = [
  ...(
    [
      ['with what it needs', parameters({ region: 'eu' }), undefined],
      ['with what it needs at its creation', parameters({}, { initProvider: { region: 'eu' } }), undefined],
      ['without what it needs', parameters({}), spec(region)],
      [
        'without what it needs, to be updated',
        parameters({}, { managementPolicies: ['Observe', 'Update'] }),
        spec(region),
      ],
      ['only observed', parameters({}, observed), undefined],
      ['paused', parameters({}, { managementPolicies: [] }), undefined],
    ] as const
  ).map(([what, after, refused]) => created(ForeignKind, what, after, refused)),
  managed(
    ForeignKind,
    'an observed resource is to be managed',
    { ...observed, forProvider: {} },
    { forProvider: {} },
    spec(region),
  ),
  ...(
    [
      ['namespace', 'a', 'b'],
      ['dashed-name__x', 'a', 'b'],
      ['size', 1, 2],
      ['tags', { a: 'b' }, { a: 'c' }],
      ['zones', ['a'], ['a', 'b']],
      ['place', { in: 1 }, { in: 2 }],
    ] as const
  ).flatMap(([field, one, other]) => keeps(ForeignKind, field, one, other, { region: 'eu' })),
];

const net = (value?: Fields) => ({ forProvider: { region: 'eu', ...(value && { net: value }) } });
const nested: readonly Case[] = [
  ...(
    [['a field within another stays, whatever is beside it', net({ in: 1 }), net({ in: 1, mtu: 9 })]] as const
  ).map(([what, before, after]) => managed(ForeignKind, what, before, after, undefined, exists)),
  ...(
    [
      ['a field within another changes', net({ in: 1 }), net({ in: 2 })],
      ['a field within another is removed', net({ in: 1, mtu: 9 }), net({ mtu: 9 })],
      ['a field is removed with what it is in', net({ in: 1 }), net()],
      ['a field within another is added', net({ mtu: 9 }), net({ in: 1, mtu: 9 })],
      ['a field is added with what it is in', net(), net({ in: 1 })],
    ] as const
  ).flatMap(([what, before, after]) =>
    untilCreated(ForeignKind, what, before, after, fixed('forProvider.net.in')),
  ),
];

const level = 'spec.forProvider.fancinessLevel';
const classOf = (forProvider: Fields, more: Fields = {}) => ({
  specTemplate: { writeConnectionSecretsToNamespace: 'default', forProvider, ...more },
});
const numbered = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, 'a']));
/** The class with these fields in its template is refused for a field with this message, or is accepted. */
const classCase = (what: string, more: Fields, refused?: readonly [field: string, message: string]): Case =>
  created(
    FavouriteDBInstanceClassKind,
    what,
    classOf({ fancinessLevel: 3 }, more),
    refused && { field: `specTemplate.${refused[0]}`, message: refused[1] },
  );
/** As many characters as a prefix can have. */
const longPrefix = `${'a'.repeat(64)}.${'b'.repeat(188)}`;
const keyOfLabel = (key: string) => ({ metadata: { labels: { 'example.com/team': 'a', [key]: 'b' } } });
const classes: readonly Case[] = [
  classCase('every policy', {
    deletionPolicy: 'Orphan',
    managementPolicies: ['Observe', 'Create', 'Update'],
    initProvider: { fancinessLevel: 5, version: '5.7' },
    metadata: {
      labels: {
        costCentre: '4711',
        'example.com/team': 'a',
        'notcrossplane.io/a': '',
        'a.kubernetes.io.org/b': 'c',
      },
      annotations: { 'example.com/note': 'any text, and \u0007' },
    },
  }),
  created(
    FavouriteDBInstanceClassKind,
    'a level that only the creation uses',
    classOf({}, { initProvider: { fancinessLevel: 3 } }),
  ),
  ...[['Observe'], ['Observe', 'Update', 'Delete'], []].map((managementPolicies) =>
    classCase(`policies ${JSON.stringify(managementPolicies)}`, { managementPolicies }, [
      'managementPolicies',
      'must contain Create or *',
    ]),
  ),
  ...[
    'crossplane.io/a',
    'to.propagate.crossplane.io/a',
    'app.kubernetes.io/name',
    'k8s.io/a',
    'a.b.k8s.io/c',
  ].map((key) =>
    classCase(`a label of ${key}`, keyOfLabel(key), [
      'metadata.labels',
      `the key ${key} belongs to Kubernetes or to these controllers; use another key`,
    ]),
  ),
  // An accepted class shows that Kubernetes allows the key, too: the class itself gets the label.
  ...[`${longPrefix}/a`, 'a--b.c/d', `a.b/${'x'.repeat(63)}`, '0/A..b_-c'].map((key) => ({
    ...classCase(`a label of ${key}`, keyOfLabel(key)),
    labels: { [key]: 'b' },
  })),
  ...[
    'a b',
    '-a',
    'A.com/b',
    'a/b/c',
    '__proto__',
    'x'.repeat(64),
    'a..b/x',
    'a.-b/x',
    'a-.b/x',
    '.a/x',
    'a./x',
    '/x',
    'a/',
    `a${longPrefix}/a`,
  ].map((key) =>
    classCase(`a label of ${key}`, keyOfLabel(key), [
      'metadata.labels',
      `the key ${key} is not one that Kubernetes allows; use another key`,
    ]),
  ),
  classCase('a label of the Secrets of claims', { claimSecret: { labels: { 'a..b/x': '1' } } }, [
    'claimSecret.labels',
    'the key a..b/x is not one that Kubernetes allows; use another key',
  ]),
  classCase(
    'a label of the entries in a store',
    {
      publishConnectionDetailsTo: {
        name: '{claim.uid}',
        metadata: { labels: { 'crossplane.io/a': '1' }, annotations: { a: 'b' }, type: 'any' },
      },
    },
    ['publishConnectionDetailsTo.metadata.labels', 'the key crossplane.io/a belongs'],
  ),
  classCase('an annotation as long as any can be', { metadata: { annotations: { a: 'x'.repeat(4096) } } }),
  created(FavouriteDBInstanceClassKind, 'a secret store alone', {
    specTemplate: {
      publishConnectionDetailsTo: { name: '{claim.uid}' },
      forProvider: { fancinessLevel: 3 },
    },
  }),
  classCase('an entry in a store of its own', {
    publishConnectionDetailsTo: {
      name: '{claim.namespace}/{claim.name}-{claim.uid}',
      configRef: { name: 'vault' },
    },
  }),
  ...['{claim.uid}', 'a.{claim.name}.{claim.uid}', 'x/{claim.namespace}{claim.uid}/y--z'].map((name) =>
    classCase(`the entry ${name}`, { publishConnectionDetailsTo: { name } }),
  ),
  ...Object.entries({
    'must contain {claim.uid}': ['orders', '{claim.namespace}-{claim.name}', '{claim.UID}'],
    'must be a name with': [
      ...['{claim.uid}{claim.kind}', '{claim.uid}{', '{{claim.uid}}', '{claim.uid} x', 'Team_{claim.uid}'],
      ...['../{claim.uid}', '/{claim.uid}', '{claim.uid}/', 'a//{claim.uid}', 'a/./{claim.uid}'],
      ...['-{claim.uid}', '{claim.uid}.', 'a.-{claim.uid}', '{claim.uid}\n'],
    ],
  }).flatMap(([message, names]) =>
    names.map((name) =>
      classCase(`the entry ${JSON.stringify(name)}`, { publishConnectionDetailsTo: { name } }, [
        'publishConnectionDetailsTo.name',
        message,
      ]),
    ),
  ),
  classCase(
    'an annotation of these controllers',
    { metadata: { annotations: { 'crossplane.io/paused': 'true' } } },
    ['metadata.annotations', 'the key crossplane.io/paused belongs'],
  ),
];
/** Objects that their schemas refuse, and the refused field. */
const malformed: readonly (readonly [kind: Definition, what: string, fields: Fields, field: string])[] = [
  [FavouriteDBInstanceKind, 'a level above its maximum', parameters({ fancinessLevel: 1001 }), level],
  [FavouriteDBInstanceKind, 'a level that is no number', parameters({ fancinessLevel: 'very' }), level],
  [FavouriteDBInstanceKind, 'no forProvider', { spec: {} }, 'spec.forProvider'],
  [FavouriteDBInstanceKind, 'no spec', {}, 'spec'],
  [
    FavouriteDBInstanceKind,
    'a policy that does not exist',
    parameters({}, { deletionPolicy: 'Keep' }),
    'spec.deletionPolicy',
  ],
  [FavouriteDBInstanceClassKind, 'without its level', classOf({}), 'specTemplate.forProvider.fancinessLevel'],
  [
    FavouriteDBInstanceClassKind,
    'a label that no object can have',
    classOf({ fancinessLevel: 3 }, { metadata: { labels: { tier: 'a b' } } }),
    'specTemplate.metadata.labels.tier',
  ],
  [
    FavouriteDBInstanceClassKind,
    'more labels than 20',
    classOf({ fancinessLevel: 3 }, { metadata: { labels: numbered(21) } }),
    'specTemplate.metadata.labels',
  ],
  [
    FavouriteDBInstanceClassKind,
    'an annotation that is too long',
    classOf({ fancinessLevel: 3 }, { metadata: { annotations: { a: 'x'.repeat(4097) } } }),
    'specTemplate.metadata.annotations.a',
  ],
  [NetworkKind, 'addresses that are none', parameters({ cidr: 'many' }), 'spec.forProvider.cidr'],
  [FancySQLInstanceKind, 'an empty version', { spec: { version: '' } }, 'spec.version'],
  [
    FancySQLInstanceKind,
    'an operator that does not exist',
    { spec: { classSelector: { matchExpressions: [{ key: 'size', operator: 'Near' }] } } },
    'spec.classSelector.matchExpressions[0].operator',
  ],
  [
    FavouriteDBInstanceClassKind,
    'without a namespace for Secrets',
    { specTemplate: { forProvider: { fancinessLevel: 3 } } },
    'specTemplate.writeConnectionSecretsToNamespace',
  ],
  [
    FavouriteDBInstanceClassKind,
    'a namespace for Secrets that no namespace can be',
    { specTemplate: { writeConnectionSecretsToNamespace: 'Bad_NS', forProvider: { fancinessLevel: 3 } } },
    'specTemplate.writeConnectionSecretsToNamespace',
  ],
  [
    ProviderConfigKind,
    'a source of credentials that does not exist',
    { spec: { credentials: { source: 'Thin air' } } },
    'spec.credentials.source',
  ],
  [
    PostgreSQLDatabaseKind,
    'an extension twice',
    parameters({ extensions: [{ name: 'a' }, { name: 'a' }] }),
    'spec.forProvider.extensions[1]',
  ],
];
const shapes: readonly Case[] = [
  created(
    FavouriteDBInstanceKind,
    'defaults are filled in and unknown fields dropped',
    parameters({ fancinessLevel: 3, colour: 'red' }),
    undefined,
    {
      ...parameters({ fancinessLevel: 3 }, { managementPolicies: ['*'] }),
      status: { observedGeneration: -1 },
    },
  ),
  created(FavouriteDBInstanceKind, 'observed only', parameters({}, observed)),
  {
    what: 'FavouriteDBInstanceClass: a field that a resource keeps changes in the class',
    kind: FavouriteDBInstanceClassKind,
    before: classOf({ fancinessLevel: 3, version: '5.7' }),
    after: classOf({ fancinessLevel: 3, version: '8.0' }),
  },
  ...malformed.map(([kind, what, fields, field]) => created(kind, what, fields, { field, message: '' })),
  created(StoreConfigKind, 'the type is defaulted', { spec: { defaultScope: 'a' } }, undefined, {
    spec: { type: 'Kubernetes', defaultScope: 'a' },
    status: { observedGeneration: -1 },
  }),
];

/** The answers of API servers with our rules to writes of our controllers, to writes of users, and to invalid writes. */
export const cases: readonly Case[] = [
  ...claims,
  ...immutable,
  ...databases,
  ...ownership,
  ...grants,
  ...foreign,
  ...nested,
  ...classes,
  ...shapes,
];
