import { describeConformance } from '../../../../../testing.ts';
import { createToyShopStack } from '../../src/toy-shop/stack.ts';
import { TinyGadgetKind } from '../../src/toy-shop/tiny-gadget.ts';
import { toyShopClient } from '../../src/toy-shop/toy-shop-client.ts';
import { FakeToyShop } from './fake-toy-shop.ts';

describeConformance({
  managed: TinyGadgetKind,
  forProvider: { size: 3, version: '5.7' },
  changes: [{ size: 5 }, { size: 900 }],
  refusedChanges: [{ version: '8.0' }],
  time: 'virtual',
  open({ clock }) {
    const cloud = new FakeToyShop(clock);
    return {
      stack: createToyShopStack({
        createClient: (options) => toyShopClient({ ...options, dispatcher: cloud.carrier }),
      }),
      credentials: JSON.stringify({ url: cloud.url, token: cloud.token }),
      externals: () => cloud.externals(),
      foreign: (name) => cloud.makeForeign(name),
      fail: (text) => cloud.fail(text),
      hang: () => cloud.hang(),
      loseAnswer: () => cloud.loseAnswer(),
      opens: ({ host, password }) =>
        cloud
          .externals()
          .some((stored) => cloud.hostOf(stored.name) === host && stored.password === password),
    };
  },
});
