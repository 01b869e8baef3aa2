export { confirmUrl, unsubscribeUrl } from './addresses/links.ts'
export { registerAddressRoutes } from './addresses/routes.ts'
export { confirmAsOperator, sweepAddresses } from './addresses/service.ts'
export { findRecipientAddress, type RecipientAddress, recordMailAnswer } from './addresses/store.ts'
export { readEmailAddress } from './email-address.ts'
export { notificationProblems } from './problems.ts'
export { registerNotificationTargetRoutes } from './routes.ts'
export { findTargetName } from './store.ts'
export { registerWebhookRoutes } from './webhooks/routes.ts'
export { decryptWebhookSecrets, listSigningSecrets, formatSecret } from './webhooks/secrets.ts'
export { disableWebhook } from './webhooks/service.ts'
export {
  findEnabledWebhook,
  recordWebhookAnswer,
  type SigningWebhook,
  type WebhookFormat,
} from './webhooks/store.ts'
