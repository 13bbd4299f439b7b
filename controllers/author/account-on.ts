import { deleting } from '../../apis/core/v1alpha1/condition.ts';
import type { DetailsOf } from '../../apis/core/v1alpha1/connection-details.ts';
import type { Managed } from '../../apis/core/v1alpha1/managed.ts';
import { nameOf, wasDeleted } from '../../apis/core/v1alpha1/meta.ts';
import type {
  DesiredCredential,
  ExternalClient,
  Observation,
} from '../managed/connecting/external-client.ts';
import { isObserver } from '../management-policies.ts';
import type { Accounts } from './account-password.ts';
import { accountPassword, isLockedOut } from './account-password.ts';
import type { HolderOf } from './mark-holders.ts';
import type { Ownership } from './marked.ts';
import { accountAdoption } from './marked.ts';
import { ownerIdOf } from './owner-id.ts';
import type { PasswordChecks } from './password-checks.ts';
import type { ServerSurvey } from './server-survey.ts';

interface Call {
  readonly signal: AbortSignal;
}

interface OwnedCall extends Call {
  readonly ownerId: string;
}

/**
 * The accounts of a server, each with a mark of its owner. `S`: the wanted state of one. `F`: one that exists. All calls may
 * be repeated after a crash. Those with an owner read the mark again, and throw an Error if it is not that of the owner.
 */
export interface MarkedAccounts<S, F> extends Accounts {
  /** Undefined: there is none. */
  observe(name: string, options: Call): Promise<F | undefined>;
  /**
   * Creates it with its mark, so that an interrupted creation is found. One that exists with this mark gets the spec and the
   * password. Without a password no client can log in.
   */
  create(name: string, spec: S, options: OwnedCall & { readonly password?: string }): Promise<void>;
  /** Changes all but the password. `password`: the one that it has, for a server that must see it again. */
  update(name: string, spec: S, options: OwnedCall & { readonly password?: string }): Promise<void>;
  /** No error if it was dropped before. The mark goes last. */
  drop(name: string, options: OwnedCall): Promise<void>;
}

/** The accounts of a kind of managed resources on one server. */
export interface AccountsOn<M extends Managed, S, F> {
  readonly accounts: MarkedAccounts<S, F>;
  readonly ownership: Ownership<F>;
  /** The account as which the provider logs in. */
  readonly administrator: string;
  /** The results of tests of passwords, one object in a process. */
  readonly checks: PasswordChecks;
  readonly survey: ServerSurvey;
  /** The resource that has a mark. */
  readonly holderOf: HolderOf;
  /** The account that `forProvider` wants. */
  readonly spec: (managed: M) => S;
  /** Compares an account with `forProvider`. `isLockedOut`: the server refuses its password. Neither password nor details. */
  readonly observationOf: (managed: M, found: F, isLockedOut: boolean) => Observation<M>;
  readonly detailsOf: (managed: M, credential: DesiredCredential | undefined) => DetailsOf<M>;
  /** Whether the server may refuse any password of an account, so that each observation tests it. Default: no. */
  readonly isDoubtful?: (found: F) => boolean;
  /** The observation of an account that has another name now. `namesake`: another one with its name. Default: none has. */
  readonly elsewhere?: (
    managed: M,
    namesake: F | undefined,
    signal: AbortSignal,
  ) => Promise<Observation<M> | undefined>;
  /** The remains of a deleted account, for an Event. Default: one that has lost its mark. */
  readonly remains?: (managed: M, found: F | undefined, signal: AbortSignal) => Promise<string | undefined>;
}

/**
 * Accounts on a server that many teams share and that has no tags, for one run: a mark says whose an account is. Their names
 * are known before they are created.
 */
export function accountOn<M extends Managed, S, F>({
  accounts,
  ownership,
  administrator,
  checks,
  survey,
  holderOf,
  spec,
  observationOf,
  detailsOf,
  isDoubtful = () => false,
  elsewhere,
  remains = async (managed, found) => ownership.unmarkedRemains(managed, found)[0],
}: AccountsOn<M, S, F>): ExternalClient<M> {
  const password = accountPassword({ accounts, checks });

  const observeDeleted = async (managed: M, signal: AbortSignal): Promise<Observation<M>> => {
    const name = nameOf(managed);
    const isPossible = ownership.hasUsableName(managed) && name !== administrator;
    const found = isPossible ? await accounts.observe(name, { signal }) : undefined;
    const exists = ownership.isOurs(managed, found);
    const left = exists ? undefined : await remains(managed, found, signal);
    return { exists, isUpToDate: true, ready: deleting(), ...(left !== undefined && { remains: left }) };
  };

  return {
    async observe(managed, credential, signal) {
      if (wasDeleted(managed)) return observeDeleted(managed, signal);
      const mayChange = !isObserver(managed);
      if (mayChange) ownership.checkExternalName(managed);
      ownership.checkNotAdministrator(managed, administrator);
      const found = await accounts.observe(nameOf(managed), { signal });
      const isOurs = ownership.isOurs(managed, found);
      if (mayChange && !isOurs) ownership.checkNewExternalName(managed);
      const renamed = isOurs ? undefined : await elsewhere?.(managed, found, signal);
      if (renamed !== undefined) return renamed;
      const taken = ownership.observedTaken(managed, found, { holderOf });
      if (taken !== undefined) return taken;
      if (found === undefined) return { exists: false, isUpToDate: false };
      if (!isOurs || isDoubtful(found)) password.doubt(managed);
      ownership.checkMayManage(managed, found, accountAdoption(managed));
      if (mayChange) await survey.refresh(signal);
      const verdict = await password.verdictOn(managed, credential, signal);
      return {
        ...observationOf(managed, found, isLockedOut(credential, verdict, isDoubtful(found))),
        ...(verdict && { credential: verdict }),
        details: detailsOf(managed, credential),
        ...ownership.ownedByAnother(managed, found),
      };
    },

    async create(managed, credential, signal) {
      await survey.prepare(signal);
      await accounts.create(nameOf(managed), spec(managed), callFor(managed, credential, signal));
      password.wasCreatedWith(managed, credential);
      return { details: detailsOf(managed, credential) };
    },

    async update(managed, credential, signal) {
      await survey.prepare(signal);
      // The password is sent alone, so that another refused change does not block it. The other changes follow.
      if (await password.set(managed, credential, signal)) return {};
      await accounts.update(nameOf(managed), spec(managed), callFor(managed, credential, signal));
      return {};
    },

    plannedDetails: detailsOf,

    async delete(managed, signal) {
      const name = nameOf(managed);
      if (!ownership.isOurs(managed, await accounts.observe(name, { signal }))) return;
      await accounts.drop(name, { ownerId: ownerIdOf(managed), signal });
    },
  };
}

const callFor = (managed: Managed, credential: DesiredCredential | undefined, signal: AbortSignal) => ({
  ownerId: ownerIdOf(managed),
  signal,
  ...(credential && { password: credential.value }),
});
