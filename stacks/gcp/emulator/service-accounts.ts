import { createHash, createPublicKey, generateKeyPairSync, randomInt, verify } from 'node:crypto';
import { isGranted } from './iam.ts';

/** The file of a service account key. Google Cloud returns it once. */
export interface ServiceAccountKey {
  readonly type: 'service_account';
  readonly project_id: string;
  readonly private_key_id: string;
  /** PEM of PKCS #8. */
  readonly private_key: string;
  readonly client_email: string;
  readonly client_id: string;
  readonly auth_uri: string;
  /** Where the key is exchanged for an access token. */
  readonly token_uri: string;
  readonly auth_provider_x509_cert_url: string;
  readonly client_x509_cert_url: string;
  readonly universe_domain: string;
}

/** Whether the JSON is a key with a usable private key. */
export function isServiceAccountKey(json: object): json is ServiceAccountKey {
  const { type, project_id, private_key_id, private_key, client_email } = json as Partial<ServiceAccountKey>;
  if (type !== 'service_account') return false;
  if ([project_id, private_key_id, client_email].some((text) => typeof text !== 'string')) return false;
  try {
    return createPublicKey(private_key ?? '').asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

export interface StoredAccount {
  readonly email: string;
  readonly uniqueId: string;
  readonly project: string;
  /** Roles by project. */
  readonly bindings: Readonly<Record<string, readonly string[]>>;
  /** The cloud keeps public keys only. */
  readonly keys: readonly { readonly id: string; readonly publicKey: string }[];
}

export interface NewAccount {
  /** The part of its address before the @. Default `crossplane`. */
  readonly name?: string;
  /** Default `example-project`. */
  readonly project?: string;
  /** In that project; default `roles/redis.admin` and `roles/pubsub.admin`. */
  readonly roles?: readonly string[];
}

/** The service accounts, with their keys and roles. */
export interface ServiceAccounts {
  /** Creates a key. Creates the account if there is none, and sets its roles. */
  createKey(account: NewAccount, origin: string): ServiceAccountKey;
  /** Accepts a key that another process of the emulator created. */
  acceptKey(key: ServiceAccountKey, roles?: readonly string[]): void;
  /** Deletes a key. A caller with this key is refused. */
  deleteKey(email: string, keyId: string): void;
  /** Replaces the roles of an account in a project. Throws if there is no such account. */
  grant(email: string, project: string, roles: readonly string[]): void;
  get(email: string): StoredAccount | undefined;
  /** Whether one of its keys has signed this. */
  hasSigned(account: StoredAccount, text: string, signature: Buffer): boolean;
  may(email: string, permission: string, project: string): boolean;
  /** Whether an account ever had a role in the project. There is no other list of projects. */
  isProject(project: string): boolean;
  saved(): readonly StoredAccount[];
}

const defaultRoles = ['roles/redis.admin', 'roles/pubsub.admin'];

export function createServiceAccounts(saved: readonly StoredAccount[] = []): ServiceAccounts {
  const accounts = new Map(saved.map((account) => [account.email, account]));
  const put = (
    { email, uniqueId, project }: Pick<StoredAccount, 'email' | 'uniqueId' | 'project'>,
    { id, publicKey, roles }: { id: string; publicKey: string; roles: readonly string[] },
  ): void => {
    const known = accounts.get(email);
    const others = (known?.keys ?? []).filter((key) => key.id !== id);
    accounts.set(email, {
      email,
      uniqueId,
      project,
      bindings: { ...known?.bindings, [project]: roles },
      keys: [...others, { id, publicKey }],
    });
  };

  return {
    createKey({ name = 'crossplane', project = 'example-project', roles = defaultRoles }, origin) {
      const email = `${name}@${project}.iam.gserviceaccount.com`;
      const uniqueId = accounts.get(email)?.uniqueId ?? `1${digits(20)}`;
      const { privateKey, publicKey } = generateKeyPairSync('rsa', {
        modulusLength: 2048,
        publicKeyEncoding: { type: 'spki', format: 'pem' },
        privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      });
      const id = createHash('sha1').update(publicKey).digest('hex');
      put({ email, uniqueId, project }, { id, publicKey, roles });
      return {
        type: 'service_account',
        project_id: project,
        private_key_id: id,
        private_key: privateKey,
        client_email: email,
        client_id: uniqueId,
        auth_uri: 'https://accounts.google.com/o/oauth2/auth',
        token_uri: `${origin}/token`,
        auth_provider_x509_cert_url: 'https://www.googleapis.com/oauth2/v1/certs',
        client_x509_cert_url: `https://www.googleapis.com/robot/v1/metadata/x509/${encodeURIComponent(email)}`,
        universe_domain: 'googleapis.com',
      };
    },
    acceptKey(key, roles = defaultRoles) {
      const publicKey = createPublicKey(key.private_key).export({ type: 'spki', format: 'pem' }).toString();
      put(
        { email: key.client_email, uniqueId: key.client_id, project: key.project_id },
        { id: key.private_key_id, publicKey, roles },
      );
    },
    deleteKey(email, keyId) {
      const account = required(email);
      accounts.set(email, { ...account, keys: account.keys.filter(({ id }) => id !== keyId) });
    },
    grant(email, project, roles) {
      const account = required(email);
      accounts.set(email, { ...account, bindings: { ...account.bindings, [project]: roles } });
    },
    get: (email) => accounts.get(email),
    hasSigned: (account, text, signature) =>
      account.keys.some(({ publicKey }) => verify('RSA-SHA256', Buffer.from(text), publicKey, signature)),
    may: (email, permission, project) => isGranted(permission, accounts.get(email)?.bindings[project] ?? []),
    isProject: (project) => [...accounts.values()].some(({ bindings }) => Object.hasOwn(bindings, project)),
    saved: () => [...accounts.values()],
  };

  function required(email: string): StoredAccount {
    const account = accounts.get(email);
    if (account === undefined) throw new Error(`there is no service account "${email}"`);
    return account;
  }
}

const digits = (count: number): string => Array.from({ length: count }, () => randomInt(10)).join('');
