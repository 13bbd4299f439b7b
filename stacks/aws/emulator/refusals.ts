import { AwsProblem } from './problem.ts';
import type { Refusals } from './service.ts';

/** Of RDS, STS and most others of the query protocol. */
export const queryRefusals: Refusals = {
  unknownKey: () =>
    new AwsProblem('InvalidClientTokenId', 'The security token included in the request is invalid.', {
      status: 403,
    }),
  wrongSignature: (why) => new AwsProblem('SignatureDoesNotMatch', why, { status: 403 }),
  denied: (who, action) =>
    new AwsProblem('AccessDenied', `User: ${who} is not authorized to perform: ${action}`, { status: 403 }),
  throttled: () => new AwsProblem('Throttling', 'Rate exceeded'),
  unknownAction: (action) =>
    new AwsProblem('InvalidAction', `Could not find operation ${action} for this version of the service`),
  failed: () => new AwsProblem('InternalFailure', 'An internal error has occurred.', { status: 500 }),
};

/** Of EC2. */
export const ec2Refusals: Refusals = {
  ...queryRefusals,
  unknownKey: () =>
    new AwsProblem('AuthFailure', 'AWS was not able to validate the provided access credentials', {
      status: 401,
    }),
  wrongSignature: () => ec2Refusals.unknownKey(),
  denied: () =>
    new AwsProblem('UnauthorizedOperation', 'You are not authorized to perform this operation.', {
      status: 403,
    }),
  throttled: () => new AwsProblem('RequestLimitExceeded', 'Request limit exceeded.', { status: 503 }),
  unknownAction: (action) =>
    new AwsProblem('InvalidAction', `The action ${action} is not valid for this web service.`),
  failed: () => new AwsProblem('InternalError', 'An internal error has occurred', { status: 500 }),
};

/** Of services that speak JSON. */
export const jsonRefusals: Refusals = {
  unknownKey: () =>
    new AwsProblem('UnrecognizedClientException', 'The security token included in the request is invalid.', {
      status: 403,
    }),
  wrongSignature: (why) => new AwsProblem('InvalidSignatureException', why, { status: 403 }),
  denied: (who, action) =>
    new AwsProblem('AccessDeniedException', `User: ${who} is not authorized to perform: ${action}`, {
      status: 403,
    }),
  throttled: () => new AwsProblem('ThrottlingException', 'Rate exceeded', { status: 429 }),
  unknownAction: (action) => new AwsProblem('UnknownOperationException', `There is no operation ${action}.`),
  failed: () => new AwsProblem('InternalFailure', 'An internal error has occurred.', { status: 500 }),
};
