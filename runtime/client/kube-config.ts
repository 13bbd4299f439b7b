import { registerHooks } from 'node:module';
import type { KubeConfig } from '@kubernetes/client-node';

/**
 * The library's generated API classes, many hundred modules, are loaded by its KubeConfig for one method,
 * `makeApiClient`, which we do not call: they cost 47 MiB and 0.1 to 0.4 s of every start. What stands in for
 * them while it is loaded has the names it imports and nothing behind them.
 */
const noGeneratedClasses =
  'data:text/javascript,export const createConfiguration = undefined; export const ServerConfiguration = undefined;';

/** Reads a kubeconfig file; without a path what the library finds: `$KUBECONFIG`, `~/.kube/config`, in-cluster. */
export async function readKubeConfig(path?: string): Promise<KubeConfig> {
  const config = new (await kubeConfigClass())();
  if (path === undefined) config.loadFromDefault();
  else config.loadFromFile(path);
  return config;
}

async function kubeConfigClass(): Promise<new () => KubeConfig> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === './gen/index.js' && context.parentURL?.endsWith('/@kubernetes/client-node/dist/config.js')
        ? { url: noGeneratedClasses, format: 'module', shortCircuit: true }
        : next(specifier, context),
  });
  try {
    return (await import('@kubernetes/client-node/dist/config.js')).KubeConfig;
  } finally {
    hooks.deregister();
  }
}
