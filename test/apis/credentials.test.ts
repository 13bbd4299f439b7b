import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { credentialSource } from '../../apis/core/v1alpha1/fields.ts';
import { apiVersionOf } from '../../apis/core/v1alpha1/kind.ts';
import { StoreConfigKind } from '../../apis/core/v1alpha1/store-config.ts';
import { ProviderConfigKind as Fcp } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { ProviderConfigKind as Ocp } from '../../stacks/demo-clouds/kinds/ocp/v1alpha1/provider.ts';
import { ProviderConfigKind as Postgresql } from '../../stacks/postgresql/kinds/v1alpha1/provider.ts';
import { admit } from '../fakes/admission.ts';

const inStore = (token: object) => ({
  type: 'Vault',
  defaultScope: 'crossplane',
  vault: { server: 'https://vault.example', mountPath: 'secret', auth: { method: 'Token', token } },
});
const inProvider = (credentials: object) => ({ credentials });
const kinds = [
  { definition: Fcp, specOf: inProvider },
  { definition: Ocp, specOf: inProvider },
  { definition: Postgresql, specOf: inProvider },
  { definition: StoreConfigKind, specOf: inStore },
];
const parts = {
  secretRef: { namespace: 'infra', name: 'cloud', key: 'credentials' },
  env: { name: 'CLOUD' },
  fs: { path: '/etc/cloud.json' },
};
const needed: Partial<Record<(typeof credentialSource.options)[number], keyof typeof parts>> = {
  Secret: 'secretRef',
  Environment: 'env',
  Filesystem: 'fs',
};

for (const { definition, specOf } of kinds) {
  const refusal = (credentials: object): string => {
    const { kind, group } = definition;
    const object = { apiVersion: apiVersionOf(definition), kind, metadata: { name: 'default' } };
    const verdict = admit(definition, { ...object, spec: specOf(credentials) } as typeof object);
    return 'message' in verdict ? verdict.message.replace(`${kind}.${group} "default" is invalid: `, '') : '';
  };

  describe(`the credentials of a ${definition.kind} of ${definition.group}`, () => {
    for (const source of credentialSource.options) {
      for (const part of [undefined, 'secretRef', 'env', 'fs'] as const) {
        const is = needed[source] === undefined || needed[source] === part;
        test(`${source} with ${part ?? 'nothing'} is ${is ? 'allowed' : 'refused, and the message names the missing field'}`, () => {
          const reply = refusal({ source, ...(part && { [part]: parts[part] }) });
          if (is) assert.equal(reply, '');
          else assert.ok(reply.endsWith(`source ${source} requires ${needed[source]}`), reply);
        });
      }
    }

    const wrong: Record<string, object> = {
      'another source': { source: 'Upbound' },
      'no source': { secretRef: parts.secretRef },
      'a variable of no possible name': { source: 'Environment', env: { name: 'A=B' } },
      'a path that depends on where the process was started': {
        source: 'Filesystem',
        fs: { path: 'cloud.json' },
      },
    };
    for (const [name, credentials] of Object.entries(wrong)) {
      test(`${name} is refused`, () => assert.notEqual(refusal(credentials), ''));
    }
  });
}
