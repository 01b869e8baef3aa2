/**
 * The page of the portal that a problem type speaks of. A type knows no workspace, so its link names the page alone
 * (`/?to=devices`), and the portal opens it in the workspace of whoever reads it (portal/src/starts.ts).
 */
import type { PortalLink } from '../platform/http/problem-pages.ts'

const LINKS: readonly (PortalLink & { problems: readonly string[] })[] = [
  {
    path: '/?to=devices',
    text: 'Devices',
    problems: [
      'device-not-found',
      'device-exists',
      'device-batch-not-found',
      'device-batch-undone',
      'configuration-not-reported',
      'quota-devices',
      'quota-device-registrations',
    ],
  },
  {
    path: '/?to=deployments',
    text: 'Deployments and cohorts',
    problems: [
      'deployment-not-found',
      'deployment-not-active',
      'deployment-state',
      'no-predecessor',
      'nothing-to-roll-back',
      'client-cannot-take',
      'deployment-cohort-not-found',
      'deployment-cohort-name-taken',
      'cohort-has-active-deployment',
      'device-in-another-cohort',
    ],
  },
  {
    path: '/?to=findings',
    text: 'Findings',
    problems: ['finding-not-found', 'vulnerability-not-found', 'release-gate'],
  },
  {
    path: '/?to=standing-decisions',
    text: 'Standing decisions',
    problems: ['standing-decision-not-found'],
  },
  {
    path: '/?to=firmware',
    text: 'Firmware and its versions',
    problems: [
      'firmware-not-found',
      'firmware-slug-taken',
      'firmware-in-use',
      'firmware-version-not-found',
      'firmware-version-name-taken',
      'firmware-version-build-id-taken',
      'firmware-version-in-use',
      'badge-not-found',
      'sbom-not-found',
      'component-not-found',
      'artifact-not-found',
      'artifact-missing',
      'artifact-deployed',
      'vex-outdated',
      'vex-in-sbom',
      'vex-nothing-stated',
      'vex-document-not-found',
    ],
  },
  {
    path: '/?to=alerts',
    text: 'Incidents',
    problems: [
      'alert-incident-not-found',
      'alert-incident-not-acknowledged',
      'alert-incidents-changed',
      'alert-incident-batch-not-found',
      'alert-incident-batch-undone',
    ],
  },
  {
    path: '/?to=alerts&tab=rules',
    text: 'Alert rules',
    problems: ['alert-rule-not-found', 'too-many-alert-rules'],
  },
  {
    path: '/?to=alerts&tab=targets',
    text: 'Targets and webhooks',
    problems: [
      'notification-target-not-found',
      'too-many-notification-targets',
      'notification-target-has-no-confirmed-address',
      'notification-address-not-found',
      'notification-address-confirmed',
      'confirmation-too-soon',
      'confirmation-too-often',
      'webhook-not-found',
      'webhook-disabled',
      'too-many-webhooks',
    ],
  },
  {
    path: '/?to=alerts&tab=deliveries',
    text: 'Deliveries',
    problems: ['notification-not-found', 'notification-under-way', 'notification-is-confirmation'],
  },
  {
    path: '/?to=settings&part=sources',
    text: 'Sources',
    problems: [
      'vulnerability-source-not-found',
      'source-being-read',
      'imports-waiting',
      'no-feed-recognised',
    ],
  },
  {
    path: '/?to=settings&part=api-keys',
    text: 'Keys',
    problems: [
      'unauthorized',
      'insufficient-scope',
      'scopes-beyond-yours',
      'api-key-not-found',
      'device-unauthorized',
      'device-key-not-found',
      'device-issuer-not-found',
      'device-issuer-exists',
      'device-issuer-of-other-workspace',
      'too-many-device-issuers',
      'revocation-list-outdated',
      'device-certificate-refused',
    ],
  },
  {
    path: '/?to=settings&part=members',
    text: 'Members',
    problems: [
      'member-not-found',
      'last-owner',
      'owner-needed',
      'invitation-not-found',
      'already-member',
      'already-invited',
    ],
  },
  {
    path: '/?to=settings&part=audit-log',
    text: 'Audit log',
    problems: ['audit-entry-not-found'],
  },
  {
    path: '/?to=you',
    text: 'Your account',
    problems: [
      'second-factor-needed',
      'wrong-password',
      'totp-in-use',
      'totp-not-begun',
      'no-second-factor',
      'passkey-not-found',
      'session-not-found',
    ],
  },
  { path: '/?to=overview', text: 'The portal', problems: ['needs-a-person', 'foreign-origin'] },
]

export const PROBLEM_LINKS: ReadonlyMap<string, PortalLink> = new Map(
  LINKS.flatMap(({ problems, path, text }) => problems.map((slug) => [slug, { path, text }])),
)
