import type { Snapshot } from './collection.ts';
import type { StoredInstance, StoredNetwork } from './inventory.ts';
import { required } from './request-body.ts';
import type { Flavour } from './routes.ts';
import { defaultVersion, nameRule, pageOf, passwordRule, versionRule } from './routes.ts';

const statuses = { creating: 'CREATING', online: 'ONLINE', deleting: 'DELETING' } as const;
const fanciness = { min: 0, max: 1000 };
const pages = { size: 'page_size', after: 'page_token' };

/** An instance as the API gives it: where it is reached is known once it is online. */
function instanceJson({ item, phase }: Snapshot<StoredInstance>) {
  return {
    id: item.id,
    name: item.name,
    fanciness_level: item.level,
    version: item.version,
    status: statuses[phase],
    ...(phase === 'creating'
      ? {}
      : { hostname: item.hostname, port: item.port, username: item.username, database: 'fancysql' }),
    tags: item.tags,
    ...(item.networkId === undefined ? {} : { network_id: item.networkId }),
  };
}

const networkJson = ({ item, phase }: Snapshot<StoredNetwork>) => ({
  id: item.id,
  display_name: item.displayName,
  cidr: item.cidr,
  status: statuses[phase],
  tags: item.tags,
});

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const cidrRule = {
  pattern: new RegExp(`^(?:${octet}\\.){3}${octet}/(?:[12]?\\d|3[0-2])$`),
  says: 'must be an address range as 10.0.0.0/16',
};

/** Favourite Cloud's API, after the object of Crossplane's services developer guide. */
export const favouriteFlavour: Flavour = {
  noun: 'instance',
  domain: 'fcp.example.org',
  routes: {
    '/v1/instances': {
      GET({ inventory, query }) {
        const { after, limit } = pageOf(query, pages);
        const { items, next } = inventory.instances.page(after, limit);
        return {
          status: 200,
          body: {
            instances: items.map(instanceJson),
            ...(next === undefined ? {} : { next_page_token: String(next) }),
          },
        };
      },
      POST({ inventory, body: read }) {
        const body = read();
        body.only('name', 'fanciness_level', 'version', 'password', 'tags', 'network_id');
        const networkId = body.text('network_id');
        const created = inventory.createInstance({
          name: required('name', body.text('name', nameRule)),
          level: required('fanciness_level', body.integer('fanciness_level', fanciness)),
          version: body.text('version', versionRule) ?? defaultVersion,
          password: required('password', body.text('password', passwordRule)),
          tags: body.texts('tags') ?? {},
          ...(networkId === undefined ? {} : { networkId }),
        });
        return { status: 201, body: instanceJson(created) };
      },
    },
    '/v1/instances/{name}': {
      GET: ({ inventory, name }) => ({ status: 200, body: instanceJson(inventory.instances.read(name)) }),
      PATCH({ inventory, name, body: read }) {
        const body = read();
        body.only('fanciness_level', 'password', 'tags', 'network_id');
        const level = body.integer('fanciness_level', fanciness);
        const password = body.text('password', passwordRule);
        const tags = body.texts('tags');
        const networkId = body.text('network_id');
        if (networkId !== undefined) inventory.requireJoinable(name, networkId);
        const changed = inventory.instances.change(name, (item) => ({
          ...item,
          ...(level === undefined ? {} : { level }),
          ...(password === undefined ? {} : { password }),
          ...(tags === undefined ? {} : { tags }),
          ...(networkId === undefined ? {} : { networkId }),
        }));
        return { status: 200, body: instanceJson(changed) };
      },
      DELETE: ({ inventory, name }) => ({
        status: 202,
        body: instanceJson(inventory.instances.remove(name)),
      }),
    },
    '/v1/networks': {
      GET({ inventory, query }) {
        const { after, limit } = pageOf(query, pages);
        const { items, next } = inventory.networks.page(after, limit);
        return {
          status: 200,
          body: {
            networks: items.map(networkJson),
            ...(next === undefined ? {} : { next_page_token: String(next) }),
          },
        };
      },
      POST({ inventory, body: read }) {
        const body = read();
        body.only('display_name', 'cidr', 'tags');
        const created = inventory.createNetwork({
          displayName: body.text('display_name') ?? '',
          cidr: body.text('cidr', cidrRule) ?? '10.0.0.0/16',
          tags: body.texts('tags') ?? {},
        });
        return { status: 201, body: networkJson(created) };
      },
    },
    '/v1/networks/{name}': {
      GET: ({ inventory, name }) => ({ status: 200, body: networkJson(inventory.networks.read(name)) }),
      PATCH({ inventory, name, body: read }) {
        const body = read();
        body.only('display_name', 'tags');
        const displayName = body.text('display_name');
        const tags = body.texts('tags');
        const changed = inventory.networks.change(name, (item) => ({
          ...item,
          ...(displayName === undefined ? {} : { displayName }),
          ...(tags === undefined ? {} : { tags }),
        }));
        return { status: 200, body: networkJson(changed) };
      },
      DELETE: ({ inventory, name }) => ({ status: 202, body: networkJson(inventory.deleteNetwork(name)) }),
    },
  },
};
