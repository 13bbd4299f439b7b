import groupBy from 'lodash/groupBy.js';
import uniq from 'lodash/uniq.js';
import type { Kind } from '../apis/core/v1alpha1/kind.ts';
import { apiVersionOf } from '../apis/core/v1alpha1/kind.ts';
import { compareNames } from '../apis/core/v1alpha1/name-order.ts';
import { SecretKind } from '../apis/core/v1alpha1/secret.ts';
import { StoreConfigKind } from '../apis/core/v1alpha1/store-config.ts';
import type { ClaimService } from '../controllers/claim-service.ts';
import type { ManagedService } from '../controllers/managed/setup.ts';

/** A field of a kind that names an object of another kind. Its value is a name, or an object with a name. */
interface NameReference {
  readonly from: Kind;
  readonly path: string;
  readonly to: Kind;
}

/** Every field by which our objects name each other and Secrets. */
function nameReferences(
  claims: readonly ClaimService[],
  managed: readonly Pick<ManagedService, 'kind' | 'providers' | 'references'>[],
): readonly NameReference[] {
  const claimReferences = claims.flatMap((service): readonly NameReference[] => [
    { from: service.claim, path: 'spec/classRef', to: service.class },
    { from: service.claim, path: 'spec/resourceRef', to: service.managed },
    { from: service.claim, path: 'spec/writeConnectionSecretToRef', to: SecretKind },
    { from: service.managed, path: 'spec/claimRef', to: service.claim },
  ]);
  const managedReferences = managed.flatMap(
    ({ kind, providers, references = [] }): readonly NameReference[] => {
      const specs: readonly { readonly from: Kind; readonly spec: string }[] = [
        { from: kind, spec: 'spec' },
        ...claims
          .filter((service) => service.managed === kind)
          .map((service) => ({ from: service.class, spec: 'specTemplate' })),
      ];
      return [
        ...specs.flatMap(({ from, spec }) => [
          { from, path: `${spec}/publishConnectionDetailsTo/configRef`, to: StoreConfigKind },
          { from, path: `${spec}/providerConfigRef`, to: providers.providerConfig },
          { from, path: `${spec}/providerRef`, to: providers.provider },
          ...references.flatMap(({ ref, to }) =>
            ['forProvider', 'initProvider'].map((field) => ({ from, path: `${spec}/${field}/${ref}`, to })),
          ),
        ]),
        { from: kind, path: 'spec/writeConnectionSecretToRef', to: SecretKind },
        { from: providers.providerConfig, path: 'spec/credentials/secretRef', to: SecretKind },
        { from: providers.provider, path: 'spec/credentialsSecretRef', to: SecretKind },
      ];
    },
  );
  const storeReference = { from: StoreConfigKind, path: 'spec/vault/auth/token/secretRef', to: SecretKind };
  return [...claimReferences, ...managedReferences, storeReference];
}

/**
 * Two files for kustomize: the fields by which our objects name each other, and which of our kinds are cluster-scoped.
 * kustomize takes an unknown kind for a namespaced one, and looks for its objects in one namespace only.
 */
export function kustomizeFiles(
  origin: string,
  ...stacks: Parameters<typeof nameReferences>
): ReadonlyMap<string, string> {
  const references = nameReferences(...stacks);
  const keyOf = ({ group, kind }: Kind, indent: string): string =>
    [`kind: ${kind}`, ...(group === '' ? [] : [`group: ${group}`])].join(`\n${indent}`);
  const targets = groupBy(references, ({ to }) => keyOf(to, '    '));
  const blocks = Object.keys(targets)
    .toSorted(compareNames)
    .map((target) => {
      const fields = targets[target]!.map(
        ({ from, path }) => `      - path: ${path}\n        ${keyOf(from, '        ')}`,
      );
      return `  - ${target}\n    fieldSpecs:\n${uniq(fields).toSorted(compareNames).join('\n')}`;
    });
  const kinds = uniq(references.flatMap(({ from, to }) => [from, to]))
    .filter((kind) => kind !== SecretKind)
    .toSorted((a, b) => compareNames(`${a.group} ${a.kind}`, `${b.group} ${b.kind}`));
  const paths = kinds.map(({ group, version, kind, plural, scope }) => [
    `/apis/${apiVersionOf({ group, version })}/${scope === 'Cluster' ? '' : 'namespaces/{namespace}/'}${plural}/{name}`,
    {
      get: {
        'x-kubernetes-action': 'get',
        'x-kubernetes-group-version-kind': { group, version, kind },
        responses: {},
      },
    },
  ]);
  const schema = {
    swagger: '2.0',
    info: { title: origin, version: '1' },
    paths: Object.fromEntries(paths),
    definitions: {},
  };
  return new Map([
    ['name-references.yaml', [`# ${origin}`, 'nameReference:', ...blocks, ''].join('\n')],
    ['scopes.json', `${JSON.stringify(schema, null, 2)}\n`],
  ]);
}
