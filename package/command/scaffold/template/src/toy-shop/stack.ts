import type { CloudClientOptions, DefinedStack } from '../../../../../stack.ts';
import { cloudClients, defineStack, generatedPassword, satisfies, service } from '../../../../../stack.ts';
import { AnyGadgetKind } from './any-gadget.ts';
import { configureTinyGadget, incompatibilityOfTinyGadget } from './configure.ts';
import { tinyGadgetClient } from './external-client.ts';
import { ProviderConfigKind, ProviderKind } from './provider.ts';
import { TinyGadgetClassKind, TinyGadgetKind } from './tiny-gadget.ts';
import type { ToyShopClient } from './toy-shop-client.ts';
import { toyShopClient } from './toy-shop-client.ts';

export interface ToyShopStackOptions {
  /** Creates the client of the cloud; tests pass their own. */
  readonly createClient?: (options: CloudClientOptions) => ToyShopClient;
}

/** Toy Shop: tiny gadgets, for claims. */
export const createToyShopStack = ({
  createClient = toyShopClient,
}: ToyShopStackOptions = {}): DefinedStack =>
  defineStack({
    name: 'toy-shop',
    provider: {
      provider: ProviderKind,
      providerConfig: ProviderConfigKind,
      credentialForm: '{"url": …, "token": …}',
      connect: cloudClients(createClient),
    },
    services: [
      service({
        managed: TinyGadgetKind,
        externalNames: 'deterministic',
        // Generated, stored in a Secret, and then set in the cloud. For the cloud's rules, see `alphabet` and `length`.
        credential: generatedPassword,
        external: tinyGadgetClient,
        claims: [
          satisfies({
            claim: AnyGadgetKind,
            class: TinyGadgetClassKind,
            configure: configureTinyGadget,
            whyIncompatible: incompatibilityOfTinyGadget,
          }),
        ],
      }),
    ],
  });

export const toyShopStack: DefinedStack = createToyShopStack();
