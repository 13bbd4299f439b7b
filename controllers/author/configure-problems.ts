import omit from 'lodash/omit.js';
import { isObject } from '../../apis/core/forms.ts';
import type { Definition } from '../../apis/core/schema.ts';
import type { SchemaProblem } from '../../apis/core/schema-problems.ts';
import { schemaProblems } from '../../apis/core/schema-problems.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import type { ClaimService } from '../claim-service.ts';

interface Kinds {
  readonly managed: Definition;
  readonly claim: Definition;
  readonly class: Definition;
}

/**
 * The problems of the fields that `configure` returns, by the schema of the managed kind: see `problemsOf` of {@link
 * ClaimService}. If a claim or a class does not match its own schema, for example under a definition of another
 * release, the result is empty. Then the API server decides.
 */
export const configureProblems =
  ({ managed, ...kinds }: Kinds): NonNullable<ClaimService['problemsOf']> =>
  ({ forProvider }, claim, resourceClass) => {
    const { kind, parameters } = managed;
    if (parameters === undefined) return [];
    const problems = isObject(forProvider)
      ? schemaProblems(parameters, forProvider).map((problem) => described(problem, kind))
      : ['no forProvider'];
    const isGivenWhatFits = (): boolean =>
      fits(kinds.claim, claim) &&
      fits(kinds.class, resourceClass) &&
      // The schema of a class requires no parameter: its rules do.
      suits(kinds.class.parameters, resourceClass.specTemplate.forProvider);
    return problems.length > 0 && isGivenWhatFits() ? problems : [];
  };

const suits = (schema: Definition['parameters'], forProvider: object = {}): boolean =>
  schema === undefined || schemaProblems(schema, forProvider).length === 0;

function fits({ schema }: Definition, object: Claim | Class): boolean {
  return schemaProblems(schema, omit(object, ['apiVersion', 'kind', 'metadata', 'status'])).length === 0;
}

function described(problem: SchemaProblem, kind: string): string {
  const field = `forProvider.${problem.path}`;
  if (problem.type === 'unknown') return `${field}, which ${kind} does not have`;
  if (problem.type === 'missing') return `no ${field}, which ${kind} requires`;
  return `${field} of a type that ${kind} does not accept (${problem.why})`;
}
