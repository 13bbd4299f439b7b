import type { Fault } from '../../../package/testing.ts';
import { codeOfHttpStatus, errorInfo, Problem } from './problem.ts';
import { projectNumber } from './project-number.ts';
import type { Service } from './service.ts';

/** The error of an injected fault. */
export function failure({ status = 500, retryAfter }: Fault): Problem {
  const code = codeOfHttpStatus(status);
  const messages: Readonly<Record<string, string>> = {
    UNAUTHENTICATED: 'Request had invalid authentication credentials.',
    PERMISSION_DENIED: 'The caller does not have permission',
    RESOURCE_EXHAUSTED: 'Resource has been exhausted (e.g. check quota).',
    UNAVAILABLE: 'The service is currently unavailable.',
  };
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  return new Problem(code, messages[code] ?? 'Internal error encountered.', { headers });
}

export const outOfScope = ({ name }: Service): Problem =>
  new Problem('PERMISSION_DENIED', 'Request had insufficient authentication scopes.', {
    details: [errorInfo('ACCESS_TOKEN_SCOPE_INSUFFICIENT', 'googleapis.com', { service: name })],
  });

export function notEnabled({ name, title }: Service, project: string): Problem {
  const activationUrl = `https://console.developers.google.com/apis/api/${name}/overview?project=${project}`;
  const message = `${title} has not been used in project ${project} before or it is disabled. Enable it by visiting ${activationUrl} then retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and retry.`;
  return new Problem('PERMISSION_DENIED', message, {
    details: [
      errorInfo('SERVICE_DISABLED', 'googleapis.com', {
        service: name,
        serviceTitle: title,
        consumer: `projects/${project}`,
        activationUrl,
      }),
    ],
  });
}

export function tooManyRequests(
  { name }: Service,
  { project, isRead }: { readonly project: string; readonly isRead: boolean },
): Problem {
  const metric = isRead ? 'Read requests' : 'Mutate requests';
  const consumer = `projects/${projectNumber(project)}`;
  const message = `Quota exceeded for quota metric '${metric}' and limit '${metric} per minute' of service '${name}' for consumer '${consumer.replace('projects/', 'project_number:')}'.`;
  return new Problem('RESOURCE_EXHAUSTED', message, {
    details: [errorInfo('RATE_LIMIT_EXCEEDED', 'googleapis.com', { consumer, service: name })],
  });
}
