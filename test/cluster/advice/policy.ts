import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { NamespaceKind } from '../../../apis/core/v1alpha1/namespace.ts';
import { selfSignedCertificate } from '../../../local/postgresql-certificate.ts';
import { eventually } from '../stack-harness.ts';
import type { Place } from './player.ts';

/** Waits until the API server refuses a new Secret of the row with these words: it reads policies and quotas in its own time. */
async function refusesSecrets({ fixture, namespace }: Place, words: RegExp): Promise<void> {
  const create = ['create', 'secret', 'generic', 'tried', '-n', namespace, '--dry-run=server'];
  await eventually('the API server refuses Secrets', () =>
    fixture.cluster.kubectl(create).then(
      () => false,
      (error: unknown) => words.test(String(error)),
    ),
  );
}

/**
 * A policy of the cluster: an admission webhook on loopback that refuses Secrets of the row's namespace without the label
 * `team`. No webhook can see managed resources here: a definitions server beside the API server serves them.
 */
export async function requireTeamLabel(at: Place): Promise<void> {
  const { certificate, privateKey } = selfSignedCertificate();
  const server = createServer({ cert: certificate, key: privateKey }, (request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += String(part);
    });
    request.on('end', () => {
      const { apiVersion, kind, request: review } = JSON.parse(body);
      const isAllowed = review.object.metadata.labels?.team !== undefined;
      const status = { message: 'the label team is required' };
      const answer = { uid: review.uid, allowed: isAllowed, ...(!isAllowed && { status }) };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion, kind, response: answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  at.servers.push({
    async stop() {
      server.closeAllConnections();
      server.close();
    },
  });
  const { port } = server.address() as AddressInfo;
  const name = at.named('labels');
  const labels = { policy: at.namespace };
  await at.edit(NamespaceKind, { name: at.namespace }, { metadata: { labels } });
  const configuration = {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: 'labels.example.org',
        clientConfig: {
          url: `https://127.0.0.1:${port}/`,
          caBundle: Buffer.from(certificate).toString('base64'),
        },
        rules: [
          {
            operations: ['CREATE'],
            apiGroups: [''],
            apiVersions: ['*'],
            resources: ['secrets'],
          },
        ],
        namespaceSelector: { matchLabels: labels },
        failurePolicy: 'Fail',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  };
  await at.fixture.cluster.kubectl(['apply', '-f', '-'], JSON.stringify(configuration));
  await refusesSecrets(at, /the label team is required/);
}

/** A quota of the namespace that is used up. No controller counts here, so that the status is written by hand. */
export async function quotaOnSecrets(at: Place): Promise<void> {
  const { cluster } = at.fixture;
  const hard = { 'count/secrets': '0' };
  const metadata = { namespace: at.namespace, name: 'few' };
  await cluster.kubectl(
    ['create', '-f', '-'],
    JSON.stringify({ apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } }),
  );
  const status = JSON.stringify({ status: { hard, used: hard } });
  await cluster.kubectl([
    ...['patch', 'quota', 'few', '-n', at.namespace],
    ...['--subresource=status', '--type=merge', '-p', status],
  ]);
  await refusesSecrets(at, /exceeded quota: few/);
}
