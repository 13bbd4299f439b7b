import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { lastValueFrom } from 'rxjs';
import { definitions } from '../../app/definitions.ts';
import { kubernetesClient } from '../../runtime/client/http-kubernetes-client.ts';
import type { CustomResourceDefinition } from '../../runtime/client/install-crds.ts';
import { CustomResourceDefinitionKind } from '../../runtime/client/install-crds.ts';
import { realClock } from '../../runtime/time/clock.ts';
import { FakeApiServer } from '../fakes/api-server.ts';
import { recordedLog } from '../fakes/recorded-log.ts';

const name = 'ays.test.example.org';
type Owned = readonly [owner: string, version: string];

const ownerKey = 'services-stack.crossplane.io/definition-owner';
const versionKey = 'services-stack.crossplane.io/definition-version';

const definition = ([owner, version]: Owned, of = name): CustomResourceDefinition => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: of, annotations: { [ownerKey]: owner, [versionKey]: version } },
  spec: {},
  status: { conditions: [{ type: 'Established', status: 'True' }] },
});

describe("an author's process with --install-crds and a definition of crds/", () => {
  let server: FakeApiServer;
  let client: ReturnType<typeof kubernetesClient>;
  let directory: string;
  const log = recordedLog();

  beforeEach(async () => {
    server = await new FakeApiServer(CustomResourceDefinitionKind).start();
    client = kubernetesClient({ kubeConfig: server.kubeConfig(), log, clock: realClock() });
    directory = await mkdtemp(join(tmpdir(), 'definitions-'));
  });
  afterEach(async () => {
    await client.close();
    await server.stop();
    await rm(directory, { recursive: true });
  });

  async function folder(title: string, file: string, content: CustomResourceDefinition): Promise<string> {
    const path = join(directory, title);
    await mkdir(path);
    await writeFile(join(path, file), JSON.stringify(content));
    return path;
  }

  interface Row {
    readonly before: Owned;
    readonly own?: Owned;
    readonly takes?: boolean;
    readonly want: Owned;
  }
  const rows: Readonly<Record<string, Row>> = {
    'updates one of the product': {
      before: ['services-stack', '0.1.0'],
      want: ['services-stack', '0.2.0'],
    },
    'leaves one of a newer product': {
      before: ['services-stack', '0.3.0'],
      want: ['services-stack', '0.3.0'],
    },
    'leaves one of another package': {
      before: ['bees', '1.0.0'],
      want: ['bees', '1.0.0'],
    },
    'takes one of another package over with the flag': {
      before: ['bees', '1.0.0'],
      takes: true,
      want: ['services-stack', '0.2.0'],
    },
    'leaves the one of the product, although it has its own': {
      before: ['services-stack', '0.1.0'],
      own: ['acme', '1.0.0'],
      want: ['services-stack', '0.1.0'],
    },
    'takes the one of the product over with the flag, and keeps its own': {
      before: ['services-stack', '0.1.0'],
      own: ['acme', '1.0.0'],
      takes: true,
      want: ['acme', '1.0.0'],
    },
  };
  for (const [rule, { before, own, takes = false, want }] of Object.entries(rows))
    test(rule, async () => {
      server.put(CustomResourceDefinitionKind, definition(before));
      const file = 'test.example.org_ays.yaml';
      const other = definition(['acme', '1.0.0'], 'bees.test.example.org');
      const folders = {
        own: [
          own === undefined
            ? await folder('own', 'test.example.org_bees.yaml', other)
            : await folder('own', file, definition(own)),
        ],
        shared: await folder('shared', file, definition(['services-stack', '0.2.0'])),
      };
      await lastValueFrom(
        definitions({ installCrds: true, takeDefinitions: takes }, folders, {
          client,
          log,
          clock: realClock(),
          kinds: [{ plural: 'ays', group: 'test.example.org' }],
        }),
        { defaultValue: undefined },
      );
      const [
        {
          metadata: { annotations = {} },
        } = definition(before),
      ] = server.objects();
      assert.deepEqual([annotations[ownerKey], annotations[versionKey]], want);
    });
});
