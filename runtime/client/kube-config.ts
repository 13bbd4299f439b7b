import { registerHooks } from 'node:module';
import type { KubeConfig } from '@kubernetes/client-node';

/**
 * client-node's KubeConfig imports the generated API classes, many hundred modules, for one method, `makeApiClient`. We do
 * not call it, and the classes cost 47 MiB and 0.1 to 0.4 s of every start. This empty module with the imported names
 * replaces them while KubeConfig is loaded.
 */
const noGeneratedClasses =
  'data:text/javascript,export const createConfiguration = undefined; export const ServerConfiguration = undefined;';

/** Reads a kubeconfig file. Without a path: the library's default (`$KUBECONFIG`, `~/.kube/config`, in-cluster). */
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
