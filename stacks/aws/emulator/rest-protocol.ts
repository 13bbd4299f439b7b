import { parsed } from './json-protocol.ts';
import type { Params, Protocol } from './service.ts';

/** Paths and methods of actions: `{ 'POST /clusters/{name}/node-groups': 'CreateNodegroup' }`. */
export type Routes = Readonly<Record<string, string>>;

const headers = { 'content-type': 'application/json' };

/** JSON over paths and methods, as in EKS. The parameters of path, query and body are merged. */
export function restProtocol(routes: Routes): Protocol {
  const patterns = Object.entries(routes).map(([route, action]) => {
    const [method = '', template = ''] = route.split(' ');
    const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
    return { method, action, names, path: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '([^/]+)')}$`) };
  });
  return {
    name: 'rest',
    read({ method, target, body }) {
      const { pathname, searchParams } = new URL(target, 'http://aws');
      for (const { method: wanted, action, names, path } of patterns) {
        const values = method === wanted ? path.exec(pathname) : null;
        if (values === null) continue;
        const inPath = Object.fromEntries(
          names.map((name, i) => [name, decodeURIComponent(values[i + 1] ?? '')]),
        );
        return { action, params: { ...queryOf(searchParams), ...parsed(body), ...inPath } };
      }
      return undefined;
    },
    answer: (_action, output) => ({ status: 200, headers, text: JSON.stringify(output) }),
    refusal: ({ status, code, message, headers: more }) => ({
      status,
      headers: { ...headers, ...more, 'x-amzn-errortype': code },
      text: JSON.stringify({ message }),
    }),
  };
}

/** A repeated parameter becomes a list. */
const queryOf = (query: URLSearchParams): Params =>
  Object.fromEntries(
    [...new Set(query.keys())].map((key) => {
      const values = query.getAll(key);
      return [key, values.length === 1 ? values[0] : values];
    }),
  );
