import type { Kind } from '../../apis/core/v1alpha1/kind.ts';
import type { DefinedStack } from '../../controllers/author/define-stack.ts';

/**
 * A stack that serves the same claims as another one, with kinds of the group `NAME.example.org`. Without a class of its
 * own, no claim gets a resource of it.
 */
export function otherStack(
  { claims, managed, definitions, ...stack }: DefinedStack,
  name: string,
): DefinedStack {
  const moved = <K extends Kind>(kind: K): K => ({ ...kind, group: `${name}.example.org` });
  const served = new Set<Kind>(claims.map(({ claim }) => claim));
  return {
    ...stack,
    name,
    definitions: definitions.filter((definition) => !served.has(definition)).map(moved),
    managed: (env) =>
      managed(env).map(({ kind, providers, references: _none, ...service }) => ({
        ...service,
        kind: moved(kind),
        providers: {
          provider: moved(providers.provider),
          providerConfig: moved(providers.providerConfig),
        },
      })),
    claims: claims.map((service) => ({
      ...service,
      class: moved(service.class),
      managed: moved(service.managed),
      stack: name,
    })),
  };
}
