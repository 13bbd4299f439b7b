import { arnOf } from '../account.ts';
import { queryProtocol } from '../query-protocol.ts';
import { queryRefusals } from '../refusals.ts';
import type { Service } from '../service.ts';

/** The part of STS that identifies a caller. */
export const sts: Service = {
  name: 'sts',
  protocols: [queryProtocol({ namespace: 'https://sts.amazonaws.com/doc/2011-06-15/' })],
  refusals: queryRefusals,
  actions: {
    GetCallerIdentity: ({ account }) => ({
      Arn: arnOf(account),
      UserId: 'AIDACKCEVSQ6C2EXAMPLE',
      Account: account.id,
    }),
  },
};
