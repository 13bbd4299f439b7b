import type { Route, Service } from './service.ts';

/** The method that a request calls. */
export interface Match {
  readonly service: Service;
  readonly route: Route;
  /** The values of the placeholders in the path template. */
  readonly path: Readonly<Record<string, string>>;
}

/** Finds the method that a request calls, by HTTP method and path. */
export type FindRoute = (verb: string, path: string) => Match | undefined;

export function routeFinder(services: readonly Service[]): FindRoute {
  const all = services.flatMap((service) =>
    service.routes.map((route) => {
      const pattern = route.template.replace(/\{(\w+)\}/g, '(?<$1>[^/:]+)');
      return { service, route, pattern: new RegExp(`^${pattern}$`) };
    }),
  );
  return (verb, path) => {
    for (const { service, route, pattern } of all) {
      const groups = route.verb === verb ? pattern.exec(path)?.groups : undefined;
      if (groups === undefined) continue;
      const decoded = Object.entries(groups).map(([name, value]) => [name, decodedSegment(value)]);
      return { service, route, path: Object.fromEntries(decoded) };
    }
    return undefined;
  };
}

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The resource that a call is about. A call on a collection is about the parent of the collection. */
export function resourceOf({ route, path }: Match): string {
  const template = route.template.replace(/^\/v1\//, '').replace(/[:/][a-zA-Z]+$/, '');
  return Object.entries(path).reduce((text, [name, value]) => text.replace(`{${name}}`, value), template);
}
