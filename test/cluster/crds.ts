import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import type { ControlPlane } from '../../local/control-plane/control-plane.ts';
import { FancySQLInstanceKind } from '../../stacks/demo-clouds/kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderConfigKind } from '../../stacks/demo-clouds/kinds/fcp/v1alpha3/provider.ts';
import { definitionsIn } from '../apis/definitions.ts';
import { objectOf } from '../fakes/object-of.ts';
import { applyTo, eventually } from './stack-harness.ts';

const definitions = [...definitionsIn('crds').values()];

interface Served {
  readonly metadata: { readonly name: string };
  readonly status: { readonly conditions: readonly { readonly type: string; readonly status: string }[] };
}

/** Installs our definitions in a control plane that has none. */
export function testCrds(controlPlane: () => ControlPlane): void {
  describe('crds/ on a real API server', () => {
    const kubectl = (...args: readonly string[]) => controlPlane().kubectl(args);
    const folders = () => controlPlane().definitions.flatMap((folder) => ['-f', folder]);
    const linesOf = (printed: string) => printed.trim().split('\n');

    test('kubectl apply of the folder and of demo/ in it creates each, once', async () => {
      const lines = linesOf(await kubectl('apply', ...folders()));
      assert.deepEqual(
        lines.toSorted(),
        definitions
          .map(({ metadata }) => `customresourcedefinition.apiextensions.k8s.io/${metadata.name} created`)
          .toSorted(),
      );
    });

    test('a second apply changes no definition', async () => {
      const lines = linesOf(await kubectl('apply', ...folders()));
      assert.equal(lines.length, definitions.length);
      const changed = lines.filter((line) => !line.endsWith(' unchanged'));
      assert.deepEqual(changed, []);
    });

    test('each is established and structural', async () => {
      await kubectl('wait', '--for=condition=Established', 'crd', '--all', '--timeout=30s');
      const { items } = JSON.parse(await kubectl('get', 'crds', '-o', 'json')) as {
        readonly items: readonly Served[];
      };
      assert.equal(items.length, definitions.length);
      for (const { metadata, status } of items) {
        const isTrue = (type: string) =>
          status.conditions.some((each) => each.type === type && each.status === 'True');
        assert.ok(isTrue('NamesAccepted'), metadata.name);
        assert.ok(!isTrue('NonStructuralSchema'), metadata.name);
      }
    });

    test('each kind is served', async () => {
      const printed = await eventually('the server lists all kinds', async () => {
        const resources = await kubectl('api-resources', '-o', 'name');
        return definitions.every(({ metadata }) => resources.includes(metadata.name)) && resources;
      });
      const names = definitions.map(({ metadata }) => metadata.name);
      for (const name of names) assert.ok(linesOf(printed).includes(name), name);
      assert.equal(await kubectl('get', names.join(','), '-A'), ''); // it fails with the first that is unknown
    });

    describe('with one object of each kind of FancySQL', () => {
      const forProvider = { fancinessLevel: 3 };
      const specTemplate = { writeConnectionSecretsToNamespace: 'default', forProvider };
      const secretRef = { namespace: 'default', name: 'favourite', key: 'credentials' };
      const claimSpec = { version: '5.7', classSelector: { matchLabels: { size: 'small' } } };

      before(() =>
        applyTo(
          controlPlane(),
          objectOf(FancySQLInstanceKind, { namespace: 'default', name: 'orders' }, { spec: claimSpec }),
          objectOf(FavouriteDBInstanceClassKind, { name: 'small' }, { specTemplate }),
          objectOf(FavouriteDBInstanceKind, { name: 'orders-1' }, { spec: { forProvider } }),
          objectOf(
            ProviderConfigKind,
            { name: 'default' },
            { spec: { credentials: { source: 'Secret', secretRef } } },
          ),
        ),
      );

      const categories: Readonly<Record<string, readonly string[]>> = {
        claims: ['fancysqlinstance'],
        claim: ['fancysqlinstance'],
        classes: ['favouritedbinstanceclass'],
        class: ['favouritedbinstanceclass'],
        managed: ['favouritedbinstance'],
        provider: ['providerconfig'],
        fcp: ['favouritedbinstance', 'providerconfig'],
        crossplane: ['fancysqlinstance', 'favouritedbinstance', 'favouritedbinstanceclass', 'providerconfig'],
        ocp: [],
        postgresql: [],
      };
      for (const [category, kinds] of Object.entries(categories)) {
        test(`kubectl get ${category} -A lists ${kinds.join(', ') || 'nothing'}`, async () => {
          const names = (await kubectl('get', category, '-A', '-o', 'name')).trim();
          const found = names === '' ? [] : names.split('\n').map((line) => line.split('.')[0]);
          assert.deepEqual(found.toSorted(), kinds.toSorted());
        });
      }

      const columns: Readonly<Record<string, readonly string[]>> = {
        claims: ['NAMESPACE', 'NAME', 'READY', 'REASON', 'AGE'],
        managed: [
          ...['NAME', 'READY', 'SYNCED', 'STATUS', 'DELETE-AT', 'EXTERNAL-NAME'],
          ...['CLAIM', 'CLAIM-NAMESPACE', 'AGE'],
        ],
        classes: ['NAME', 'DEFAULT-ANNOTATION', 'RECLAIM-POLICY', 'RETAIN-FOR', 'AGE'],
      };
      for (const [category, expected] of Object.entries(columns)) {
        test(`kubectl get ${category} -A shows ${expected.join(', ')}`, async () => {
          const [header = ''] = linesOf(await kubectl('get', category, '-A'));
          assert.deepEqual(
            header
              .trim()
              .split(/\s+/)
              .filter((name) => name !== 'NAMESPACE' || category === 'claims'),
            expected,
          );
        });
      }

      test('with -o wide a claim shows its phase, class, resource, Secret and request', async () => {
        const [header = '', line = ''] = linesOf(await kubectl('get', 'fsql', '-o', 'wide'));
        assert.match(
          header,
          /READY +REASON +STATUS +CLASS-KIND +CLASS-NAME +RESOURCE-KIND +RESOURCE-NAME +SECRET +VERSION +AGE *$/,
        );
        assert.match(line, /^orders .* 5\.7 +\w+$/);
      });

      test('a class shows its policy for the resources that it provisions, also if it is a default', async () => {
        const [, line = ''] = linesOf(await kubectl('get', 'favdbclass'));
        assert.match(line, /^small +Delete +\w+$/);
      });
    });
  });
}

/** The descriptions of fields, as kubectl shows them. Needs our definitions in kube-apiserver itself. */
export function testExplain(controlPlane: () => ControlPlane): void {
  describe('the descriptions in crds/', () => {
    const explained: Readonly<Record<string, RegExp>> = {
      fancysqlinstance: /A claim for a FancySQL database/,
      'fancysqlinstance.spec.classSelector': /Selects a class by its labels/,
      'fancysqlinstance.spec.classSelector.matchExpressions.operator':
        /The relation of the label to the values/,
      'fancysqlinstance.status.conditions': /The observed conditions of this object/,
      'favouritedbinstance.spec.forProvider.fancinessLevel': /How fancy the instance is/,
      'favouritedbinstance.spec.managementPolicies': /An empty list pauses/,
      'favouritedbinstanceclass.specTemplate.reclaimPolicy': /is deleted with its claim/,
      'ambivalentdbinstance.status.bindingPhase': /binding life cycle/,
      'providerconfigs.fcp.crossplane.io': /Access to a Favourite Cloud project/,
      'postgresqlgrant.spec.forProvider.privileges': /Other privileges of the role on the target are revoked/,
    };
    for (const [path, text] of Object.entries(explained)) {
      test(`kubectl explain ${path} shows its description`, async () => {
        const printed = await eventually('the server has published its schema', async () => {
          const answer = await controlPlane().kubectl(['explain', path]);
          return !answer.includes('<empty>') && answer;
        });
        const [, description = ''] = printed.split('DESCRIPTION:');
        assert.match(description.replaceAll(/\s+/g, ' '), text);
      });
    }
  });
}
