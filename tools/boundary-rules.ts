import type { IForbiddenRuleType } from 'dependency-cruiser'

/** The slices from the lowest to the highest; ARCHITECTURE.md shows what they really import. */
export const ORDER = [
  'audit',
  'auth',
  'workspaces',
  'quotas',
  'mails',
  'invitations',
  'saved-views',
  'idempotency',
  'people',
  'notifications',
  'notification-targets',
  'notification-delivery',
  'firmware',
  'product-lines',
  'trusted-keys',
  'devices',
  'device-issuers',
  'artifacts',
  'image-checks',
  'licences',
  'sboms',
  'sbom-signatures',
  'sbom-grades',
  'provenance',
  'components',
  'advisories',
  'feeds',
  'matching',
  'coverage',
  'support',
  'discussions',
  'owners',
  'ssvc',
  'findings',
  'judgements',
  'override-preview',
  'sbom-checks',
  'vulnerabilities',
  'triage',
  'decision-proposals',
  'reports',
  'figures',
  'weekly-mails',
  'vex',
  'supplier-feeds',
  'telemetry',
  'crashes',
  'cohorts',
  'bulk-devices',
  'device-keys',
  'release-gate',
  'comparisons',
  'deployments',
  'deployment-failures',
  'takers',
  'cases',
  'security-advisories',
  'disclosure-reports',
  'upstream-reports',
  'printed-reports',
  'watches',
  'customers',
  'evidence',
  'obligations',
  'alert-rules',
  'incidents',
  'exports',
  'alert-evaluation',
  'ddi',
  'device-sync',
  'mqtt',
]
const slice = (name: string) => `^server/src/features/${name}/`

const NOTIFICATIONS = ['notifications', 'notification-targets', 'notification-delivery']

/** A slice may use those before it; those of one line stand side by side. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  firmware: NOTIFICATIONS,
  devices: NOTIFICATIONS,
  'device-issuers': NOTIFICATIONS,
  artifacts: ['devices', 'device-issuers'],
  sboms: ['devices', 'device-issuers', 'artifacts'],
  components: ['devices', 'device-issuers', 'artifacts'],
  advisories: ['devices', 'device-issuers', 'artifacts', 'sboms', 'components'],
  feeds: ['devices', 'device-issuers', 'artifacts', 'sboms', 'components'],
  matching: ['feeds'],
  coverage: ['feeds'],
  discussions: ['feeds', 'matching', 'coverage'],
  owners: ['feeds', 'matching', 'coverage'],
  ssvc: ['feeds', 'matching', 'coverage', 'discussions', 'owners'],
  findings: ['feeds'],
  'device-sync': ['ddi'],
  mqtt: ['ddi', 'device-sync'],
}

const upward: IForbiddenRuleType[] = ORDER.flatMap((name, index) => {
  const above = ORDER.slice(index + 1)
  const forbidden = [...above, ...(BESIDE[name] ?? [])]
  if (forbidden.length === 0) return []
  return {
    name: `${name}-is-below`,
    comment: `${name} never calls a slice above or beside it; it enqueues a message or calls a reaction instead`,
    severity: 'error',
    from: { path: slice(name), pathNot: '\\.test\\.ts$' },
    to: { path: `^server/src/features/(${forbidden.join('|')})/` },
  }
})

const forbidden: IForbiddenRuleType[] = [
  ...upward,
  {
    name: 'mail-leaves-by-one-door',
    comment: 'the slice mails counts every mail: nobody else imports what sends them',
    severity: 'error',
    from: {
      path: '^server/src/',
      pathNot: [
        '^server/src/(features/mails|platform/mail)/',
        '^server/src/(open-context|platform/context)\\.ts$',
        '\\.test\\.ts$',
      ],
    },
    to: { path: '(^server/src/platform/mail/mailer\\.ts$|/nodemailer/)' },
  },
  {
    name: 'no-cycles',
    comment: 'no files import each other in a circle, not even for types alone',
    severity: 'error',
    from: {},
    to: { circular: true },
  },
  {
    name: 'slices-meet-at-index',
    severity: 'error',
    from: { path: '^server/src/features/([^/]+)/' },
    to: {
      path: '^server/src/features/([^/]+)/',
      pathNot: ['^server/src/features/$1/', '/index\\.ts$'],
    },
  },
  {
    name: 'compositions-use-index',
    severity: 'error',
    from: { path: '^server/src/[^/]+\\.ts$' },
    to: { path: '^server/src/features/', pathNot: '/index\\.ts$' },
  },
  {
    name: 'formats-are-pure',
    comment: 'formats do no I/O: no platform but its errors, no slices, no files, no network',
    severity: 'error',
    from: { path: '^server/src/formats/', pathNot: '\\.test\\.ts$' },
    to: {
      path: [
        '^server/src/(platform|features)/',
        '^(node:)?(fs|net|http|https|child_process|dns|tls)',
      ],
      pathNot: '^server/src/platform/errors\\.ts$',
    },
  },
  {
    name: 'platform-knows-no-domain',
    comment: 'which members JSON has twice is a question of bodies and of documents alike',
    severity: 'error',
    from: { path: '^server/src/platform/', pathNot: '\\.test\\.ts$' },
    to: {
      path: '^server/src/(features|formats)/',
      pathNot: '^server/src/formats/duplicate-members\\.ts$',
    },
  },
  {
    name: 'domain-is-pure',
    comment: 'what has no fixed role in a slice is pure: no database, no queue, no HTTP',
    severity: 'error',
    from: {
      path: '^server/src/features/',
      pathNot: [
        '/(index|routes|jobs|mqtt|schemas|service|store|[a-z-]+-(routes|schemas|service|store)|guard|hooks|[a-z]+-process)\\.ts$',
        '\\.test\\.ts$',
      ],
    },
    to: { path: '^server/src/platform/(db|jobs|http|blobs)/' },
  },
  {
    name: 'portal-features-stand-alone',
    comment:
      'what two features of the portal need is in components/, format/ or session.ts; routes.tsx composes them',
    severity: 'error',
    from: { path: '^portal/src/features/([^/]+)/', pathNot: '\\.test\\.ts$' },
    to: { path: '^portal/src/features/', pathNot: '^portal/src/features/$1/' },
  },
  {
    name: 'clients-know-no-server',
    severity: 'error',
    from: { path: '^(api-client|portal)/src/', pathNot: '\\.test\\.ts$' },
    to: { path: '^server/' },
  },
  {
    name: 'cli-knows-formats-alone',
    comment:
      'formats are pure: the client grades documents without a service by the code that the service has (decision 80)',
    severity: 'error',
    from: { path: '^cli/src/', pathNot: '\\.test\\.ts$' },
    to: { path: '^server/', pathNot: '^server/src/formats/' },
  },
  {
    name: 'not-to-unresolvable',
    severity: 'error',
    from: {},
    to: { couldNotResolve: true },
  },
]

export const boundaries = {
  forbidden,
  options: {
    doNotFollow: { path: 'node_modules' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
}
