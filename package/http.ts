/* `services-stack/http`: clients for clouds with an HTTP and JSON API. */
export type { Authorization } from '../clients/authorization.ts';
export { areCertificates } from '../clients/certificates.ts';
export type { Clock as ClientClock } from '../clients/clock.ts';
export { later } from '../clients/clock.ts';
export type { CloudCollection, CloudCollectionOptions } from '../clients/cloud-collection.ts';
export { cloudCollection } from '../clients/cloud-collection.ts';
export type { CloudCredentials } from '../clients/cloud-credentials.ts';
export { cloudCredentialForm } from '../clients/cloud-credentials.ts';
export type { CloudErrorCode } from '../clients/cloud-error.ts';
export {
  CloudError,
  existsUnshown,
  HaltedError,
  invalidAnswer,
  isConflicting,
  isMissing,
  isNowhere,
  isUncertain,
  nonsense,
} from '../clients/cloud-error.ts';
export type { ExternalErrorClass } from '../clients/external-error.ts';
export { classOfStatus } from '../clients/external-error.ts';
export type { Carrier, HttpClient, HttpClientOptions, HttpRequest, TokenSource } from '../clients/http.ts';
export { httpClient, keepAliveConnections } from '../clients/http.ts';
export type { VendorError } from '../clients/http-failure.ts';
export { stable, transportFailure } from '../clients/http-failure.ts';
export { tlsFailure } from '../clients/tls-failure.ts';
export { withoutSecrets } from '../clients/without-secrets.ts';
export type { Clock } from '../runtime/time/clock.ts';
export { realClock } from '../runtime/time/clock.ts';
