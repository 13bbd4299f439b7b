import type { Kind } from '../../../apis/core/v1alpha1/kind.ts';
import type { Managed } from '../../../apis/core/v1alpha1/managed.ts';
import { FavouriteDBInstanceKind } from '../../../apis/fcp/v1alpha3/favourite-db-instance.ts';
import { ProviderConfigKind as FcpProviderConfigKind } from '../../../apis/fcp/v1alpha3/provider.ts';
import { AmbivalentDBInstanceKind } from '../../../apis/ocp/v1alpha1/ambivalent-db-instance.ts';
import { ProviderConfigKind as OcpProviderConfigKind } from '../../../apis/ocp/v1alpha1/provider.ts';
import { favouriteCloudClient } from '../../../clients/favourite-cloud.ts';
import type { Carrier } from '../../../clients/http.ts';
import { otherCloudClient } from '../../../clients/other-cloud.ts';
import type { Stack } from '../../../controllers/core/stack.ts';
import { createFcpStack } from '../../../controllers/fcp/setup.ts';
import { createOcpStack } from '../../../controllers/ocp/setup.ts';

/** The differences between the demo clouds, for tests of their common parts. */
export interface CloudKinds {
  readonly flavour: 'favourite' | 'other';
  /** The one that connects to the cloud in this way. */
  readonly stack: (dispatcher: Carrier) => Stack;
  readonly kind: Kind<Managed>;
  readonly providerConfig: Kind;
  readonly forProvider: object;
}
/** By name. */
export const clouds: Record<string, CloudKinds> = {
  'Favourite Cloud': {
    flavour: 'favourite',
    stack: (dispatcher) =>
      createFcpStack({ createClient: (options) => favouriteCloudClient({ ...options, dispatcher }) }),
    kind: FavouriteDBInstanceKind,
    providerConfig: FcpProviderConfigKind,
    forProvider: { fancinessLevel: 1 },
  },
  'Other Cloud': {
    flavour: 'other',
    stack: (dispatcher) =>
      createOcpStack({ createClient: (options) => otherCloudClient({ ...options, dispatcher }) }),
    kind: AmbivalentDBInstanceKind,
    providerConfig: OcpProviderConfigKind,
    forProvider: { ambivalence: 1 },
  },
};
