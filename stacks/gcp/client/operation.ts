import { z } from 'zod';
import type { HttpClient } from '../../../package/http.ts';
import { CloudError, isMissing, nonsense } from '../../../package/http.ts';
import { cloud, codeClasses, codeNamed, pathOf, wordsOf } from './google-api.ts';

const operationSchema = z.object({
  /** The full name, such as `projects/p/locations/l/operations/o`. */
  name: z.string().min(1),
  done: z.boolean().default(false),
  metadata: z.object({ verb: z.string().optional(), target: z.string().optional() }).optional(),
  error: z
    .object({
      code: z.int().optional(),
      message: z.string().default(''),
      details: z.array(z.unknown()).optional(),
    })
    .optional(),
});

/** google.longrunning.Operation: a task that an API has begun and continues by itself. */
export type Operation = z.output<typeof operationSchema>;

/** Reads the operation in an answer. Throws CloudError if there is none. */
export function operationIn(what: string, answer: unknown): Operation {
  const { success, data } = operationSchema.safeParse(answer);
  if (success) return data;
  throw nonsense(what, 'it holds no operation');
}

/** Gets the operation of that name. Undefined if the cloud answers that there is none (any more). Throws CloudError. */
export async function getOperation(
  http: HttpClient,
  name: string,
  signal?: AbortSignal,
): Promise<Operation | undefined> {
  const what = `get operation "${name}"`;
  try {
    return operationIn(
      what,
      await http.request({ what, method: 'GET', path: pathOf(...name.split('/')) }, signal),
    );
  } catch (error) {
    if (isMissing(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}

/** The error of an operation; undefined: it has not failed. If a permission is missing, the message names `account`. */
export function operationFailure({ error, metadata }: Operation, account: string): CloudError | undefined {
  if (error === undefined) return undefined;
  const code = codeNamed(error.code);
  const {
    message = '',
    fields = [],
    errorClass,
  } = wordsOf({ ...error, status: code } as Parameters<typeof wordsOf>[0], account);
  const { verb = 'change', target = 'it' } = metadata ?? {};
  return new CloudError(`${cloud} could not ${verb} ${target} (${code}): ${message}`, {
    status: 200,
    code,
    isRetryable: false,
    fields,
    errorClass: errorClass ?? (code === 'RESOURCE_EXHAUSTED' ? 'QuotaExceeded' : codeClasses[code]),
  });
}
