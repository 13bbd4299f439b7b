import type { ExternalClient, Seen } from '../../../../stack.ts';
import { comparison, meaningOf, namedByUs } from '../../../../stack.ts';
import type { TinyGadget } from './tiny-gadget.ts';
import { TinyGadgetKind } from './tiny-gadget.ts';
import type { CloudTinyGadget, NewTinyGadget, TinyGadgetChange, ToyShopClient } from './toy-shop-client.ts';
import { toyShopStates as states } from './toy-shop-client.ts';

const compare = comparison(TinyGadgetKind);

/** Between the managed resource and the cloud: what each calls what the other has. */
export const tinyGadgetClient = (cloud: ToyShopClient): ExternalClient<TinyGadget> =>
  namedByUs<TinyGadget, CloudTinyGadget, NewTinyGadget, TinyGadgetChange>({
    things: cloud.tinyGadgets,
    noun: 'tiny gadget',
    newThing({ spec }, { name, tags, password }) {
      const { size, version } = { ...spec.initProvider, ...spec.forProvider };
      if (size === undefined) throw new Error('spec.forProvider.size is needed');
      return { name, size, tags, password, ...(version !== undefined && { version }) };
    },
    seen: seenInCloud,
    compare,
    change: ({ size }) => (size === undefined ? {} : { size }),
    retag: (tags) => ({ tags }),
    setPassword: (password) => ({ password }),
  });

/** What the cloud tells, in the words that all clouds share. */
function seenInCloud(
  _managed: TinyGadget,
  { name, size, version, state, username, endpoint, tags }: CloudTinyGadget,
): Seen<TinyGadget> {
  return {
    tags,
    isKnown: false,
    isOnline: state === states.online, // the cloud changes nothing else
    meaning: meaningOf(state, states, 'tiny gadget'),
    actual: { size, version },
    access:
      endpoint === null
        ? undefined
        : { type: 'tinygadget', provider: 'toy-shop', ...endpoint, username, database: name },
    status: { state, ...(endpoint !== null && { endpoint: `${endpoint.host}:${endpoint.port}` }) },
  };
}
