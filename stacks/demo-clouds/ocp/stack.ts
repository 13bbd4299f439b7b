import { cloudCredentialForm } from '../../../package/http.ts';
import type { CloudClientOptions, DefinedStack } from '../../../package/stack.ts';
import { cloudClients, defineStack, generatedPassword, satisfies, service } from '../../../package/stack.ts';
import type { OtherCloudClient } from '../client/other-cloud.ts';
import { otherCloudClient } from '../client/other-cloud.ts';
import { FancySQLInstanceKind } from '../kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  AmbivalentDBInstanceClassKind,
  AmbivalentDBInstanceKind,
} from '../kinds/ocp/v1alpha1/ambivalent-db-instance.ts';
import { ProviderConfigKind, ProviderKind } from '../kinds/ocp/v1alpha1/provider.ts';
import {
  configureAmbivalentDBInstance,
  incompatibilityOfAmbivalentDBInstance,
} from './ambivalent-db-instance/configure.ts';
import { ambivalentDBInstanceClient } from './ambivalent-db-instance/external-client.ts';

export interface OcpStackOptions {
  readonly createClient?: (options: CloudClientOptions) => OtherCloudClient;
}

/** How long the cloud's reads may lag behind its writes. During this time a new resource does not count as absent. */
const readLagMs = 10_000;

/** Other Cloud: AmbivalentDB databases, which satisfy FancySQL claims. */
export function createOcpStack({ createClient = otherCloudClient }: OcpStackOptions = {}): DefinedStack {
  return defineStack({
    name: 'ocp',
    provider: {
      provider: ProviderKind,
      providerConfig: ProviderConfigKind,
      credentialForm: cloudCredentialForm,
      connect: cloudClients(createClient),
    },
    services: [
      service({
        managed: AmbivalentDBInstanceKind,
        externalNames: 'deterministic',
        creationGraceMs: readLagMs,
        credential: generatedPassword,
        external: ambivalentDBInstanceClient,
        claims: [
          satisfies({
            claim: FancySQLInstanceKind,
            class: AmbivalentDBInstanceClassKind,
            configure: configureAmbivalentDBInstance,
            whyIncompatible: incompatibilityOfAmbivalentDBInstance,
          }),
        ],
      }),
    ],
  });
}

export const ocpStack: DefinedStack = createOcpStack();
