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
      GET({ estate, query }) {
        const { after, limit } = pageOf(query, { size: 'pageSize', after: 'cursor' });
        const { items, next } = estate.instances.page(after, limit);
        return {
          status: 200,
          body: { databases: items.map(databaseJson), nextCursor: next === undefined ? null : String(next) },
        };
      },
      POST({ estate, body: read }) {
        const body = read();
        body.only('databaseName', 'ambivalence', 'engineVersion', 'adminPassword', 'labels');
        const created = estate.createInstance({
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
      GET: ({ estate, name }) => ({ status: 200, body: databaseJson(estate.instances.read(name)) }),
      PATCH({ estate, name, body: read }) {
        const body = read();
        body.only('ambivalence', 'adminPassword', 'labels');
        const level = body.integer('ambivalence', ambivalence);
        const password = body.text('adminPassword', passwordRule);
        const tags = body.texts('labels');
        const changed = estate.instances.change(name, (item) => ({
          ...item,
          ...(level === undefined ? {} : { level }),
          ...(password === undefined ? {} : { password }),
          ...(tags === undefined ? {} : { tags }),
        }));
        return { status: 200, body: databaseJson(changed) };
      },
      DELETE({ estate, name }) {
        estate.instances.remove(name);
        return { status: 204 };
      },
    },
  },
};
