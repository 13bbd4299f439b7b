import type { ExternalClient, ObservedDatabase } from '../../../../../stack.ts';
import { comparison, meaningOf, namedByUs } from '../../../../../stack.ts';
import type { TinyGadget } from './tiny-gadget.ts';
import { TinyGadgetKind } from './tiny-gadget.ts';
import type { CloudTinyGadget, NewTinyGadget, TinyGadgetChange, ToyShopClient } from './toy-shop-client.ts';
import { toyShopStates as states } from './toy-shop-client.ts';

const compare = comparison(TinyGadgetKind);

/** Maps the managed resource to the cloud's API and back. */
export const tinyGadgetClient = (cloud: ToyShopClient): ExternalClient<TinyGadget> =>
  namedByUs<TinyGadget, CloudTinyGadget, NewTinyGadget, TinyGadgetChange>({
    databases: cloud.tinyGadgets,
    noun: 'tiny gadget',
    newDatabase({ spec }, { name, tags, password }) {
      const { size, version } = { ...spec.initProvider, ...spec.forProvider };
      if (size === undefined) throw new Error('spec.forProvider.size is missing: set it');
      return { name, size, tags, password, ...(version !== undefined && { version }) };
    },
    observed: observedInCloud,
    compare,
    change: ({ size }) => (size === undefined ? {} : { size }),
    retag: (tags) => ({ tags }),
    setPassword: (password) => ({ password }),
  });

/** The cloud's answer in the common terms of all clouds. */
function observedInCloud(
  _managed: TinyGadget,
  { name, size, version, state, username, endpoint, tags }: CloudTinyGadget,
): ObservedDatabase<TinyGadget> {
  return {
    tags,
    isOnline: state === states.online, // the cloud accepts changes only in this state
    meaning: meaningOf(state, states, 'tiny gadget'),
    actual: { size, version },
    access:
      endpoint === null
        ? undefined
        : { type: 'tinygadget', provider: 'toy-shop', ...endpoint, username, database: name },
    status: { state, ...(endpoint !== null && { endpoint: `${endpoint.host}:${endpoint.port}` }) },
  };
}
