import { FancySQLInstanceKind } from '../../apis/database/v1alpha1/fancy-sql-instance.ts';
import {
  FavouriteDBInstanceClassKind,
  FavouriteDBInstanceKind,
} from '../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { NetworkKind } from '../../apis/fcp/v1alpha3/network.ts';
import { ProviderConfigKind, ProviderKind } from '../../apis/fcp/v1alpha3/provider.ts';
import type { FavouriteCloudClient } from '../../clients/favourite-cloud.ts';
import { favouriteCloudClient } from '../../clients/favourite-cloud.ts';
import { generatePassword } from '../../clients/generate-password.ts';
import type { CloudClientOptions } from '../author/cloud-connector.ts';
import { cloudConnector } from '../author/cloud-connector.ts';
import type { Stack } from '../core/stack.ts';
import { configureFavouriteDBInstance } from './favourite-db-instance/configure.ts';
import { favouriteDBInstanceClient } from './favourite-db-instance/external-client.ts';
import { networkClient } from './network/external-client.ts';

export interface FcpStackOptions {
  readonly createClient?: (options: CloudClientOptions) => FavouriteCloudClient;
  readonly generatePassword?: () => string;
}

const providers = { provider: ProviderKind, providerConfig: ProviderConfigKind };

/** How long the cloud's reads may lag behind its writes; what was just created is not forgotten meanwhile. */
const readLagMs = 10_000;

/** Favourite Cloud: FavouriteDB instances, which satisfy FancySQL claims, and networks. */
export function createFcpStack(options: FcpStackOptions = {}): Stack {
  const { createClient = favouriteCloudClient, generatePassword: newPassword = () => generatePassword() } =
    options;
  return {
    name: 'fcp',
    claims: [
      {
        claim: FancySQLInstanceKind,
        class: FavouriteDBInstanceClassKind,
        managed: FavouriteDBInstanceKind,
        configure: configureFavouriteDBInstance,
      },
    ],
    managed(env) {
      const connector = cloudConnector(env, providers, createClient);
      return [
        {
          kind: FavouriteDBInstanceKind,
          providers,
          externalNames: 'deterministic',
          creationGraceMs: readLagMs,
          references: [
            { field: 'networkId', ref: 'networkIdRef', selector: 'networkIdSelector', to: NetworkKind },
          ],
          connector: connector((cloud) =>
            favouriteDBInstanceClient({ cloud, generatePassword: newPassword }),
          ),
        },
        {
          kind: NetworkKind,
          providers,
          externalNames: 'assigned',
          connector: connector(networkClient),
        },
      ];
    },
  };
}

export const fcpStack: Stack = createFcpStack();
