import { cloudCredentialForm } from '../../../package/http.ts';
import type { CloudClientOptions, DefinedStack } from '../../../package/stack.ts';
import { cloudClients, defineStack, generatedPassword, satisfies, service } from '../../../package/stack.ts';
import type { FavouriteCloudClient } from '../client/favourite-cloud.ts';
import { favouriteCloudClient } from '../client/favourite-cloud.ts';
import { FancySQLInstanceKind } from '../kinds/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../kinds/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../kinds/fcp/v1alpha3/network.ts';
import { ProviderConfigKind, ProviderKind } from '../kinds/fcp/v1alpha3/provider.ts';
import {
  configureFavouriteDBInstance,
  incompatibilityOfFavouriteDBInstance,
} from './favourite-db-instance/configure.ts';
import { favouriteDBInstanceClient } from './favourite-db-instance/external-client.ts';
import { networkClient } from './network/external-client.ts';

export interface FcpStackOptions {
  readonly createClient?: (options: CloudClientOptions) => FavouriteCloudClient;
}

/** How long the cloud's reads may lag behind its writes. During this time a new resource does not count as absent. */
const readLagMs = 10_000;

/** Favourite Cloud: FavouriteDB instances, which satisfy FancySQL claims, and networks. */
export function createFcpStack({ createClient = favouriteCloudClient }: FcpStackOptions = {}): DefinedStack {
  return defineStack({
    name: 'fcp',
    provider: {
      provider: ProviderKind,
      providerConfig: ProviderConfigKind,
      credentialForm: cloudCredentialForm,
      connect: cloudClients(createClient),
    },
    services: [
      service({
        managed: FavouriteDBInstanceKind,
        externalNames: 'deterministic',
        creationGraceMs: readLagMs,
        references: [
          { field: 'networkId', ref: 'networkIdRef', selector: 'networkIdSelector', to: NetworkKind },
        ],
        credential: generatedPassword,
        external: (cloud: FavouriteCloudClient) => favouriteDBInstanceClient(cloud),
        claims: [
          satisfies({
            claim: FancySQLInstanceKind,
            class: FavouriteDBInstanceClassKind,
            configure: configureFavouriteDBInstance,
            whyIncompatible: incompatibilityOfFavouriteDBInstance,
          }),
        ],
      }),
      service({ managed: NetworkKind, externalNames: 'assigned', external: networkClient }),
    ],
  });
}

export const fcpStack: DefinedStack = createFcpStack();
