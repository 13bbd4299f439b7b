import { changing, clientAdvice, invalid } from '../../../package/stack.ts';
import { advice } from '../advice.ts';
import type { ServerFacts } from '../client/server-facts.ts';
import type { MySQLDatabase } from '../kinds/v1alpha1/mysql-database.ts';

const partsOf = (version: string): readonly string[] => version.split('.');

/** Whether a version is the other one, or names it more precisely: `10.11.19` and `10.11`. */
export function agree(one: string, other: string): boolean {
  const [a, b] = [partsOf(one), partsOf(other)];
  return a.slice(0, b.length).every((part, index) => part === b[index]);
}

/** Throws an ExternalError (`Invalid`) unless the server is the wanted product and has the wanted version. */
export function checkServer(
  { spec: { forProvider } }: MySQLDatabase,
  { flavour, version, address }: ServerFacts & { readonly address: string },
): void {
  const server = `server ${address} runs ${flavour} ${version}`;
  const { flavour: product, engineVersion: wanted } = forProvider;
  if (product !== undefined && product !== flavour) {
    const problem = `spec.forProvider.flavour is ${product}, but ${server}`;
    throw invalid(`${problem}; ${advice.matchFlavour(product)}`, changing('flavour'));
  }
  if (wanted === undefined || agree(version, wanted)) return;
  throw invalid(
    `spec.forProvider.engineVersion is "${wanted}", but ${server}; ${clientAdvice.matchVersion(`${flavour} ${wanted}`)}`,
    changing('engineVersion'),
  );
}
