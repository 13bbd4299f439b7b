import type { Snapshot } from './collection.ts';
import type { StoredInstance } from './inventory.ts';
import { required } from './request-body.ts';
import type { Flavour } from './routes.ts';
import { defaultVersion, nameRule, pageOf, passwordRule, versionRule } from './routes.ts';

const states = { creating: 'Provisioning', online: 'Available', deleting: 'Terminating' } as const;
const ambivalence = { min: 0, max: 100 };

/** A database as the API gives it: its endpoint is null until it is available. */
const databaseJson = ({ item, phase }: Snapshot<StoredInstance>) => ({
  uuid: item.uuid,
  databaseName: item.name,
  ambivalence: item.level,
  engineVersion: item.version,
  state: states[phase],
  endpoint: phase === 'creating' ? null : { host: item.hostname, port: item.port },
  adminUser: item.username,
  labels: item.tags,
});

/** Other Cloud's API: the same trade, other words. */
export const otherFlavour: Flavour = {
  noun: 'database',
  domain: 'ocp.example.com',
  routes: {
    '/v2/databases': {
      GET({ inventory, query }) {
        const { after, limit } = pageOf(query, { size: 'pageSize', after: 'cursor' });
        const { items, next } = inventory.instances.page(after, limit);
        return {
          status: 200,
          body: { databases: items.map(databaseJson), nextCursor: next === undefined ? null : String(next) },
        };
      },
      POST({ inventory, body: read }) {
        const body = read();
        body.only('databaseName', 'ambivalence', 'engineVersion', 'adminPassword', 'labels');
        const created = inventory.createInstance({
          name: required('databaseName', body.text('databaseName', nameRule)),
          level: required('ambivalence', body.integer('ambivalence', ambivalence)),
          version: body.text('engineVersion', versionRule) ?? defaultVersion,
          password: required('adminPassword', body.text('adminPassword', passwordRule)),
          tags: body.texts('labels') ?? {},
        });
        return { status: 201, body: databaseJson(created) };
      },
    },
    '/v2/databases/{name}': {
      GET: ({ inventory, name }) => ({ status: 200, body: databaseJson(inventory.instances.read(name)) }),
      PATCH({ inventory, name, body: read }) {
        const body = read();
        body.only('ambivalence', 'adminPassword', 'labels');
        const level = body.integer('ambivalence', ambivalence);
        const password = body.text('adminPassword', passwordRule);
        const tags = body.texts('labels');
        const changed = inventory.instances.change(name, (item) => ({
          ...item,
          ...(level === undefined ? {} : { level }),
          ...(password === undefined ? {} : { password }),
          ...(tags === undefined ? {} : { tags }),
        }));
        return { status: 200, body: databaseJson(changed) };
      },
      DELETE({ inventory, name }) {
        inventory.instances.remove(name);
        return { status: 204 };
      },
    },
  },
};
