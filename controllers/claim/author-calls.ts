import { nameOf, objectProblem } from '../../apis/core/forms.ts';
import type { Claim } from '../../apis/core/v1alpha1/claim.ts';
import type { Class } from '../../apis/core/v1alpha1/class.ts';
import { jsonProblem } from '../answers.ts';
import { callAuthor, frozen } from '../border.ts';
import type { ClaimService } from '../claim-service.ts';
import { creationParameters } from '../creation-parameters.ts';
import { withChange } from './with-change.ts';

type Configured = ReturnType<ClaimService['configure']>;

/**
 * Calls `configure` and checks the result. Throws on an unknown or wrong field: the API server would silently drop a
 * misspelt field, and the claim would get another resource than it asked for.
 *
 * `configure` gets the class with the values of `initProvider` in `forProvider`, because they are those of the creation.
 * Values that it does not change stay in `initProvider` alone.
 */
export function configured(service: ClaimService, claim: Claim, resourceClass: Class): Configured {
  const { specTemplate } = resourceClass;
  if (specTemplate.initProvider === undefined) return called(service, claim, resourceClass);
  const forProvider = creationParameters(specTemplate);
  const given = { ...resourceClass, specTemplate: { ...specTemplate, forProvider } };
  const answer = called(service, claim, given);
  const changed = withChange(specTemplate.forProvider ?? {}, forProvider, answer.forProvider);
  return { ...answer, forProvider: changed as object };
}

function called(service: ClaimService, claim: Claim, resourceClass: Class): Configured {
  const { stack, definedAt, problemsOf } = service;
  const problem = (answer: Configured): string | undefined => {
    const shape = objectProblem(answer) ?? jsonProblem(answer);
    if (shape !== undefined) return shape;
    const problems = problemsOf?.(answer, claim, resourceClass) ?? [];
    return problems.length === 0 ? undefined : problems.join('; ');
  };
  const run = () => service.configure(frozen(claim), frozen(resourceClass));
  return callAuthor({ name: 'configure', stack, definedAt }, run, problem);
}

/** Calls `whyIncompatible`, and checks that it returns a text or undefined. */
export function whyIncompatible(service: ClaimService, claim: Claim, offered: object): string | undefined {
  const { stack, definedAt } = service;
  const run = () => service.whyIncompatible?.(frozen(claim), frozen(offered));
  return callAuthor({ name: 'whyIncompatible', stack, definedAt }, run, (answer: unknown) =>
    answer === undefined || (typeof answer === 'string' && answer !== '')
      ? undefined
      : `${nameOf(answer)}, which must be text or undefined`,
  );
}
