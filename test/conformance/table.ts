import { z } from 'zod';
import { identity, immutable as keeping } from '../../apis/core/marks.ts';
import type { Definition } from '../../apis/core/schema.ts';
import { optional, text } from '../../apis/core/schema.ts';
import { defineManaged } from '../../apis/core/v1alpha1/define-managed.ts';
import type { KubernetesObject } from '../../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { StoreConfigKind } from '../../apis/core/v1alpha1/store-config.ts';
import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import { PostgreSQLInstanceKind } from '../../apis/database/v1alpha1/postgresql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../apis/fcp/v1alpha3/network.ts';
import { ProviderConfigKind } from '../../apis/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceKind } from '../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import { PostgreSQLDatabaseKind } from '../../apis/postgresql/v1alpha1/postgresql-database.ts';
import { PostgreSQLGrantKind } from '../../apis/postgresql/v1alpha1/postgresql-grant.ts';
import { PostgreSQLRoleKind } from '../../apis/postgresql/v1alpha1/postgresql-role.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A write of an object, and the answer of an API server. */
export interface Case {
  readonly what: string;
  readonly kind: Definition;
  /** The fields before the write, beside apiVersion, kind and metadata. Absent: the object is new. */
  readonly before?: Fields;
  readonly after: Fields;
  /** Written through the status subresource. */
  readonly isStatus?: boolean;
  /** The field and the message of the refusal. Absent: the write is accepted. */
  readonly refused?: { readonly field: string; readonly message: string };
  /** The stored fields, if they differ from the written ones. */
  readonly stored?: Fields;
}

/** The object of a case, under a name. */
export const objectOf = (kind: Definition, name: string, fields: Fields): KubernetesObject => ({
  apiVersion: apiVersionOf(kind),
  kind: kind.kind,
  metadata: { name, ...(kind.scope === 'Namespaced' ? { namespace: 'default' } : {}) },
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

const claims: readonly Case[] = [
  claim(
    'scheduling records the class',
    { classSelector },
    { classSelector, classRef: { ...small, uid: 'u' } },
  ),
  claim('defaulting records the class', {}, { classRef: small }),
  claim('binding records the resource', { classRef: small }, { classRef: small, resourceRef: resource }),
  claim('the class reference gets its UID', { classRef: small }, { classRef: { ...small, uid: 'u' } }),
  claim('the resource reference stays', { resourceRef: resource }, { resourceRef: { ...resource } }),
  claim(
    'a secret is asked for later',
    { resourceRef: resource },
    { resourceRef: resource, writeConnectionSecretToRef: { name: 'a' } },
  ),
  claim(
    'the secret is another',
    { resourceRef: resource, writeConnectionSecretToRef: { name: 'a' } },
    { resourceRef: resource, writeConnectionSecretToRef: { name: 'b' } },
  ),
  claim(
    'the version is corrected before there is a resource',
    { classRef: small, version: '9' },
    { classRef: small, version: '5.7' },
  ),
  claim('the selector changes before a class is chosen', { classSelector }, { classSelector: {} }),
  claim('a mistyped class is corrected', { classRef: small }, { classRef: { ...small, name: 'large' } }),
  claim('a mistyped class is removed', { classRef: small }, { classSelector }),
  claim(
    'the selector changes before there is a resource',
    { classSelector, classRef: small },
    { classSelector: {}, classRef: small },
  ),
  claim(
    'a mistyped resource is corrected before the claim is Bound',
    { resourceRef: resource },
    { resourceRef: { ...resource, name: 'b' } },
  ),
  claim('a mistyped resource is removed before the claim is Bound', { resourceRef: resource }, {}),
  ...(
    [
      ['the class is another', { classRef: { ...small, name: 'large' } }],
      ['the class is of another kind', { classRef: { ...small, kind: 'Other' } }],
      ['the class reference is removed', {}],
      ['the class reference is emptied', { classRef: {} }],
    ] as const
  ).map(([what, after]) =>
    claim(
      `${what} once there is a resource`,
      { classRef: small, resourceRef: resource },
      { ...after, resourceRef: resource },
      'classRef',
    ),
  ),
  claim(
    'a class comes once there is a resource',
    { resourceRef: resource },
    { classRef: small, resourceRef: resource },
    'classRef',
  ),
  ...(
    [
      ['the resource is another', { resourceRef: { ...resource, name: 'b' } }],
      ['the resource is in another namespace', { resourceRef: { ...resource, namespace: 'b' } }],
      ['the resource reference is removed', {}],
    ] as const
  ).flatMap(([what, after]) => [
    claim(
      `${what}, beside a class`,
      { classRef: small, resourceRef: resource },
      { classRef: small, ...after },
      'resourceRef',
    ),
    claim(`${what}, while Bound`, { resourceRef: resource }, after, 'resourceRef', { isBound: true }),
  ]),
  claim(
    'a Bound claim asks for another secret',
    { resourceRef: resource },
    { resourceRef: { ...resource, uid: 'u' }, writeConnectionSecretToRef: { name: 'b' } },
    undefined,
    { isBound: true },
  ),
  ...(
    [
      ['changes', { classSelector }, { classSelector: {} }],
      ['is removed', { classSelector }, {}],
      ['comes', {}, { classSelector }],
    ] as const
  ).map(([what, before, after]) =>
    claim(
      `a selector ${what} once there is a resource`,
      { ...before, classRef: small, resourceRef: resource },
      { ...after, classRef: small, resourceRef: resource },
      'classSelector',
    ),
  ),
  ...(
    [
      ['changes', { version: '5.7' }, { version: '8' }],
      ['comes', {}, { version: '8' }],
      ['is removed', { version: '8' }, {}],
    ] as const
  ).map(([what, before, after]) =>
    claim(
      `the version ${what} once there is a resource`,
      { resourceRef: resource, ...before },
      { resourceRef: resource, ...after },
      'version',
    ),
  ),
  {
    what: 'a claim of PostgreSQL: the version changes once there is a resource',
    kind: PostgreSQLInstanceKind,
    before: { spec: { resourceRef: resource, engineVersion: '17' } },
    after: { spec: { resourceRef: resource, engineVersion: '18' } },
    refused: fixed('engineVersion'),
  },
  {
    what: 'a claim: its controllers write the status of what names class and resource',
    kind: FancySQLInstanceKind,
    before: { spec: { classSelector, classRef: small, resourceRef: resource, version: '5.7' } },
    after: {
      spec: { classSelector, classRef: small, resourceRef: resource, version: '5.7' },
      status: {
        bindingPhase: 'Bound',
        observedGeneration: 1,
        binding: { name: 'orders' },
        conditions: [
          { type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime: '2026-01-02T03:04:05Z' },
        ],
      },
    },
    isStatus: true,
  },
  {
    what: 'a claim: a phase that does not exist',
    kind: FancySQLInstanceKind,
    before: { spec: {} },
    after: { spec: {}, status: { bindingPhase: 'Stuck' } },
    isStatus: true,
    refused: { field: 'status.bindingPhase', message: '' },
  },
  {
    what: 'a claim: a condition of a time that is none',
    kind: FancySQLInstanceKind,
    before: { spec: {} },
    after: {
      spec: {},
      status: {
        conditions: [{ type: 'Ready', status: 'True', reason: 'Available', lastTransitionTime: 'yesterday' }],
      },
    },
    isStatus: true,
    refused: { field: 'status.conditions[0].lastTransitionTime', message: '' },
  },
  {
    what: 'a claim: two conditions of a type',
    kind: FancySQLInstanceKind,
    before: { spec: {} },
    after: {
      spec: {},
      status: {
        conditions: ['True', 'False'].map((status) => ({
          type: 'Ready',
          status,
          reason: 'Available',
          lastTransitionTime: '2026-01-02T03:04:05Z',
        })),
      },
    },
    isStatus: true,
    refused: { field: 'status.conditions[1]', message: '' },
  },
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

const immutable: readonly Case[] = immutableFields.flatMap(([kind, field, one, other]) => [
  managed(
    kind,
    `${field} is set later, as late initialisation does`,
    { forProvider: {} },
    { forProvider: { [field]: one } },
    undefined,
    exists,
  ),
  managed(
    kind,
    `${field} stays`,
    { forProvider: { [field]: one } },
    { forProvider: { [field]: one }, deletionPolicy: 'Orphan' },
    undefined,
    exists,
  ),
  ...untilCreated(
    kind,
    `${field} changes`,
    { forProvider: { [field]: one } },
    { forProvider: { [field]: other } },
    fixed(`forProvider.${field}`),
  ),
  ...untilCreated(
    kind,
    `${field} is removed`,
    { forProvider: { [field]: one } },
    { forProvider: {} },
    fixed(`forProvider.${field}`),
  ),
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
const databases: readonly Case[] = [
  ...(['Observe', 'LateInitialize'] as const).map((last) =>
    managed(
      PostgreSQLDatabaseKind,
      `what is only observed gets the owner it has (${last})`,
      { managementPolicies: ['Observe', ...(last === 'Observe' ? [] : [last])], forProvider: {} },
      {
        managementPolicies: ['Observe', ...(last === 'Observe' ? [] : [last])],
        forProvider: { owner: 'a', encoding: 'UTF8', lcCollate: 'C', lcCType: 'C' },
      },
    ),
  ),
  managed(
    PostgreSQLDatabaseKind,
    'an import is taken over with the owner it has',
    { managementPolicies: ['Observe', 'LateInitialize'], forProvider: { owner: 'a' } },
    { managementPolicies: ['*'], forProvider: { owner: 'a' } },
  ),
  managed(
    PostgreSQLDatabaseKind,
    'a reference is resolved',
    { forProvider: { ownerRef: { name: 'a' } } },
    { forProvider: { ownerRef: { name: 'a' }, owner: 'a' } },
  ),
  managed(
    PostgreSQLDatabaseKind,
    'the owner is another',
    { forProvider: { owner: 'a' } },
    { forProvider: { owner: 'b' } },
  ),
  ...untilCreated(
    PostgreSQLDatabaseKind,
    'an owner is given',
    { forProvider: {} },
    { forProvider: { owner: 'a' } },
    ownOwner,
  ),
  ...untilCreated(
    PostgreSQLDatabaseKind,
    'an owner is given for the creation',
    { forProvider: {} },
    { forProvider: {}, initProvider: { owner: 'a' } },
    ownOwner,
  ),
  ...untilCreated(
    PostgreSQLDatabaseKind,
    'the owner is removed',
    { forProvider: { owner: 'a' } },
    { forProvider: {} },
    ownOwner,
  ),
  ...untilCreated(
    PostgreSQLDatabaseKind,
    'the owner of what is only observed is removed',
    { managementPolicies: ['Observe'], forProvider: { owner: 'a' } },
    { managementPolicies: ['Observe'], forProvider: {} },
    ownOwner,
  ),
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
  ).flatMap(([what, after]) => [
    ...[undefined, 'Unbound', 'Released'].map((bindingPhase) =>
      managed(
        PostgreSQLDatabaseKind,
        `claimRef ${what} with the phase ${bindingPhase}`,
        ownerIs(claimRef),
        ownerIs(after),
        undefined,
        bindingPhase === undefined ? undefined : { bindingPhase },
      ),
    ),
    managed(
      PostgreSQLDatabaseKind,
      `claimRef ${what} with the phase Bound`,
      ownerIs(claimRef),
      ownerIs(after),
      fixed('claimRef'),
      { bindingPhase: 'Bound' },
    ),
  ]),
  managed(
    PostgreSQLDatabaseKind,
    'claimRef is added where it is missing, with the phase Bound',
    ownerIs(),
    ownerIs(claimRef),
    undefined,
    { bindingPhase: 'Bound' },
  ),
  managed(
    PostgreSQLDatabaseKind,
    'a Bound resource with the same claimRef is edited',
    ownerIs(claimRef),
    { ...ownerIs(claimRef), reclaimPolicy: 'Retain' },
    undefined,
    { bindingPhase: 'Bound' },
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

const grants: readonly Case[] = [
  created(PostgreSQLGrantKind, 'of privileges', {
    spec: { forProvider: { role: 'a', database: 'd', privileges: ['CONNECT'] } },
  }),
  created(PostgreSQLGrantKind, 'of a membership', {
    spec: { forProvider: { role: 'a', memberOfRef: { name: 'b' } } },
  }),
  created(
    PostgreSQLGrantKind,
    'of both',
    { spec: { forProvider: { memberOf: 'a', privileges: ['ALL'] } } },
    forProvider('not both'),
  ),
  created(
    PostgreSQLGrantKind,
    'of nothing',
    { spec: { forProvider: { role: 'a', database: 'd' } } },
    forProvider('a grant needs privileges'),
  ),
  ...[['Observe'], ['Observe', 'LateInitialize'], ['Observe', 'Delete']].map((managementPolicies) =>
    created(PostgreSQLGrantKind, `that is only observed (${managementPolicies}) without its privileges`, {
      spec: { managementPolicies, forProvider: { role: 'a', database: 'd' } },
    }),
  ),
  managed(
    PostgreSQLGrantKind,
    'an observed grant can become managed without its privileges',
    { managementPolicies: ['Observe'], forProvider: { role: 'a', database: 'd' } },
    { managementPolicies: ['*'], forProvider: { role: 'a', database: 'd' } },
    forProvider('a grant needs privileges'),
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
const looked = { managementPolicies: ['Observe'] };
const foreign: readonly Case[] = [
  created(ForeignKind, 'with what it needs', { spec: { forProvider: { region: 'eu' } } }),
  created(ForeignKind, 'with what it needs at its creation', {
    spec: { forProvider: {}, initProvider: { region: 'eu' } },
  }),
  created(ForeignKind, 'without what it needs', { spec: { forProvider: {} } }, spec(region)),
  created(
    ForeignKind,
    'without what it needs, to be updated',
    { spec: { managementPolicies: ['Observe', 'Update'], forProvider: {} } },
    spec(region),
  ),
  created(ForeignKind, 'only observed', { spec: { ...looked, forProvider: {} } }),
  created(ForeignKind, 'paused', { spec: { managementPolicies: [], forProvider: {} } }),
  managed(
    ForeignKind,
    'an observed resource is to be managed',
    { ...looked, forProvider: {} },
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
  ).flatMap(([field, one, other]) => [
    managed(
      ForeignKind,
      `${field} stays`,
      { forProvider: { region: 'eu', [field]: one } },
      { forProvider: { region: 'us', [field]: one } },
      undefined,
      exists,
    ),
    ...untilCreated(
      ForeignKind,
      `${field} changes`,
      { forProvider: { region: 'eu', [field]: one } },
      { forProvider: { region: 'eu', [field]: other } },
      fixed(`forProvider.${field}`),
    ),
    ...untilCreated(
      ForeignKind,
      `${field} is removed`,
      { forProvider: { region: 'eu', [field]: one } },
      { forProvider: { region: 'eu' } },
      fixed(`forProvider.${field}`),
    ),
  ]),
];

const net = (value?: Fields) => ({ forProvider: { region: 'eu', ...(value && { net: value }) } });
const nested: readonly Case[] = [
  ...(
    [
      ['a field within another is set later', net({ mtu: 9 }), net({ in: 1, mtu: 9 })],
      ['a field is set later with what it is in', net(), net({ in: 1 })],
      ['a field within another stays, whatever is beside it', net({ in: 1 }), net({ in: 1, mtu: 9 })],
    ] as const
  ).map(([what, before, after]) => managed(ForeignKind, what, before, after, undefined, exists)),
  ...(
    [
      ['a field within another changes', net({ in: 1 }), net({ in: 2 })],
      ['a field within another is removed', net({ in: 1, mtu: 9 }), net({ mtu: 9 })],
      ['a field is removed with what it is in', net({ in: 1 }), net()],
    ] as const
  ).flatMap(([what, before, after]) =>
    untilCreated(ForeignKind, what, before, after, fixed('forProvider.net.in')),
  ),
];

const level = 'spec.forProvider.fancinessLevel';
const classOf = (forProvider: Fields) => ({
  specTemplate: { writeConnectionSecretsToNamespace: 'default', forProvider },
});
const shapes: readonly Case[] = [
  created(
    FavouriteDBInstanceKind,
    'defaults are filled in and unknown fields dropped',
    { spec: { forProvider: { fancinessLevel: 3, colour: 'red' } } },
    undefined,
    {
      spec: { managementPolicies: ['*'], forProvider: { fancinessLevel: 3 } },
      status: { observedGeneration: -1 },
    },
  ),
  created(
    FavouriteDBInstanceKind,
    'a level above its maximum',
    { spec: { forProvider: { fancinessLevel: 1001 } } },
    { field: level, message: '' },
  ),
  created(
    FavouriteDBInstanceKind,
    'a level that is no number',
    { spec: { forProvider: { fancinessLevel: 'very' } } },
    { field: level, message: '' },
  ),
  created(
    FavouriteDBInstanceKind,
    'no forProvider',
    { spec: {} },
    { field: 'spec.forProvider', message: '' },
  ),
  created(FavouriteDBInstanceKind, 'no spec', {}, { field: 'spec', message: '' }),
  created(
    FavouriteDBInstanceKind,
    'a policy that does not exist',
    { spec: { deletionPolicy: 'Keep', forProvider: {} } },
    { field: 'spec.deletionPolicy', message: '' },
  ),
  created(FavouriteDBInstanceKind, 'observed only', {
    spec: { managementPolicies: ['Observe'], forProvider: {} },
  }),
  {
    what: 'FavouriteDBInstanceClass: a field that a resource keeps changes in the class',
    kind: FavouriteDBInstanceClassKind,
    before: classOf({ fancinessLevel: 3, version: '5.7' }),
    after: classOf({ fancinessLevel: 3, version: '8.0' }),
  },
  created(FavouriteDBInstanceClassKind, 'without its level', classOf({}), {
    field: 'specTemplate.forProvider.fancinessLevel',
    message: '',
  }),
  created(
    NetworkKind,
    'addresses that are none',
    { spec: { forProvider: { cidr: 'many' } } },
    { field: 'spec.forProvider.cidr', message: '' },
  ),
  created(
    FancySQLInstanceKind,
    'an empty version',
    { spec: { version: '' } },
    { field: 'spec.version', message: '' },
  ),
  created(
    FancySQLInstanceKind,
    'an operator that does not exist',
    { spec: { classSelector: { matchExpressions: [{ key: 'size', operator: 'Near' }] } } },
    { field: 'spec.classSelector.matchExpressions[0].operator', message: '' },
  ),
  created(
    FavouriteDBInstanceClassKind,
    'without a namespace for Secrets',
    { specTemplate: { forProvider: { fancinessLevel: 3 } } },
    { field: 'specTemplate.writeConnectionSecretsToNamespace', message: '' },
  ),
  created(
    ProviderConfigKind,
    'a source of credentials that does not exist',
    { spec: { credentials: { source: 'Thin air' } } },
    { field: 'spec.credentials.source', message: '' },
  ),
  created(
    PostgreSQLDatabaseKind,
    'an extension twice',
    { spec: { forProvider: { extensions: [{ name: 'a' }, { name: 'a' }] } } },
    {
      field: 'spec.forProvider.extensions[1]',
      message: '',
    },
  ),
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
  ...shapes,
];
