import type { Detail } from '../problem.ts';
import { errorInfo, Problem } from '../problem.ts';

export const apiName = 'redis.googleapis.com';

const resourceInfo = (resourceName: string): Detail => ({
  '@type': 'type.googleapis.com/google.rpc.ResourceInfo',
  resourceName,
});

export const notFound = (name: string): Problem =>
  new Problem('NOT_FOUND', `Resource '${name}' was not found`, { details: [resourceInfo(name)] });

export const alreadyExists = (name: string): Problem =>
  new Problem('ALREADY_EXISTS', `Resource '${name}' already exists`, { details: [resourceInfo(name)] });

export const noLocation = (project: string, location: string): Problem =>
  new Problem('PERMISSION_DENIED', `Permission denied on 'locations/${location}' (or it may not exist).`, {
    details: [
      errorInfo('LOCATION_POLICY_VIOLATED', 'googleapis.com', {
        consumer: `projects/${project}`,
        location,
        service: apiName,
      }),
    ],
  });

/** Another operation runs on the instance. */
export const operationRuns = (verb: string): Problem =>
  new Problem(
    'FAILED_PRECONDITION',
    `Unable to ${verb} due to ongoing operations. Please wait until instance is in READY state.`,
  );

export function overQuota(
  name: string,
  { limit, project, region }: { readonly limit: number; readonly project: string; readonly region: string },
): Problem {
  const description = `Quota limit '${name}' has been exceeded. Limit: ${limit} in region ${region}.`;
  return new Problem('RESOURCE_EXHAUSTED', description, {
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
        violations: [{ subject: `project:${project}`, description }],
      },
    ],
  });
}

export const denied = (permission: string, resource: string): Problem =>
  new Problem('PERMISSION_DENIED', `Permission '${permission}' denied on '${resource}'`, {
    details: [errorInfo('IAM_PERMISSION_DENIED', 'iam.googleapis.com', { permission, resource })],
  });

export const noProject = (project: string): Problem =>
  new Problem('PERMISSION_DENIED', `Permission denied on resource project ${project}.`, {
    details: [
      errorInfo('CONSUMER_INVALID', 'googleapis.com', { consumer: `projects/${project}`, service: apiName }),
    ],
  });
