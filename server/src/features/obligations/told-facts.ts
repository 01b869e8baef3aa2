/** What is told of the points of the law in a workspace: sentences with counts, and never that anything is complied with. */
import { formatCountOf, formatNumber } from '../../formats/counts.ts'
import { formatInstant } from '../../formats/instants.ts'
import type { ObligationId } from './obligations.ts'
import type { FirmwareCounts, PublicationCounts, VersionCounts } from './store.ts'

/** Pages of the portal that show more, below the workspace. */
export const OBLIGATION_PAGES = [
  '/advisories',
  '/alerts',
  '/cases',
  '/deployments',
  '/devices',
  '/disclosure-reports',
  '/figures',
  '/findings',
  '/firmware',
  '/product-lines',
  '/settings',
  '/settings/advisories',
  '/settings/audit-log',
] as const
type Page = (typeof OBLIGATION_PAGES)[number]

export interface ToldFact {
  /** For programs: stays the same, whatever the text says. */
  name: string
  text: string
  /** null: not known, or no number tells it. */
  count: number | null
  /** What it is a part of; null: of nothing. */
  total: number | null
  isKnown: boolean
  page: Page | null
}

export interface WorkspaceFacts {
  firmware: FirmwareCounts
  versions: VersionCounts
  publications: PublicationCounts
  sources: { count: number; staleCount: number }
  publisher: { isPublic: boolean; contactCount: number; servedUntil: Date | null }
  disclosure: { isPublic: boolean; hasPolicy: boolean; openCount: number; lateCount: number }
  lines: {
    count: number
    withoutEnd: number
    ended: number
    withoutUse: number
    firmwareWithout: number
  }
  retainedCount: number
  evidence: { keyCreatedAt: Date | null }
  /** Drills are counted apart. */
  cases: {
    open: number
    late: number
    proposed: number
    overdueProposals: number
    drills: number
    lastDrillAt: Date | null
  }
  newestSeal: { day: string } | null
  now: Date
}

interface Told {
  name: string
  text: string
  page?: Page
}

const tell = ({ page = null, ...fact }: Omit<Told, 'page'> & { page?: Page | null }, counts = {}) => ({
  count: null,
  total: null,
  isKnown: true,
  ...fact,
  page,
  ...counts,
})

/** `text` says what the counts are of: "3 of 5" stands before it. */
const tellPart = (fact: Told, count: number, total: number): ToldFact =>
  tell({ ...fact, text: `${formatNumber(count)} of ${formatNumber(total)} ${fact.text}` }, { count, total })
const tellCount = (fact: Told, count: number): ToldFact => tell(fact, { count })
const tellUnknown = (name: string, text: string, page?: Page): ToldFact =>
  tell({ name, text, page: page ?? null }, { isKnown: false })

/** Of the points that are not here nothing is known: `people` says what they are about. */
export function tellFacts(facts: WorkspaceFacts): Record<ObligationId, ToldFact[]> {
  return {
    'known-vulnerabilities': tellReleases(facts),
    updates: tellUpdates(facts),
    properties: [tellUnknown('properties', 'Not known: Plimsoll does not look at it')],
    sboms: tellSboms(facts),
    remedies: tellRemedies(facts),
    tests: tellReviews(facts),
    'fixed-vulnerabilities': tellAdvisories(facts),
    'disclosure-policy': tellPolicy(facts),
    contact: tellContact(facts),
    'free-updates': [
      ...tellAdvisories(facts),
      ...tellContacts(facts),
      tellUnknown('price', 'What updates cost is not known'),
    ],
    components: tellUpstream(facts),
    support: tellSupport(facts),
    reports: tellCases(facts),
    authorities: tellEvidence(facts),
    documentation: [
      ...tellEvidence(facts),
      tellUnknown('other-documents', 'Documents outside of Plimsoll are not known'),
    ],
    'first-assessments': tellProposals(facts),
    'answer-times': tellAnswers(facts),
    'security-text': [tellSecurityText(facts)],
    drills: tellDrills(facts),
    'audit-seals': [tellSeal(facts)],
  }
}

function tellReleases({ firmware }: WorkspaceFacts): ToldFact[] {
  const { firmwareCount, blockCount, warnCount, offCount, newestCount } = firmware
  if (firmwareCount === 0)
    return [tellUnknown('gate', 'There is no firmware: nothing to tell of', '/firmware')]
  const page = '/firmware'
  return [
    tellPart(
      { name: 'gate-blocks', text: 'firmwares: the release gate blocks their newest version', page: '/settings' },
      blockCount,
      firmwareCount,
    ),
    tellPart(
      { name: 'gate-warns', text: 'firmwares: it warns and lets through', page: '/settings' },
      warnCount,
      firmwareCount,
    ),
    tellPart(
      { name: 'gate-off', text: 'firmwares: it is off', page: '/settings' },
      offCount,
      firmwareCount,
    ),
    tellPart(
      {
        name: 'exploited',
        text: 'newest versions have findings that are known to be exploited and count',
        page,
      },
      firmware.exploitedCount,
      newestCount,
    ),
    tellPart(
      {
        name: 'not-judged',
        text: 'newest versions have no SBOM that was read, or components of which nothing can be told',
        page,
      },
      firmware.unknownCount,
      newestCount,
    ),
  ]
}

function tellUpdates({ versions }: WorkspaceFacts): ToldFact[] {
  const { versionCount, rolledOutCount, artifactCount, deviceCount, newestDeviceCount } = versions
  return [
    tellPart(
      { name: 'rolled-out', text: 'versions were rolled out by Plimsoll', page: '/deployments' },
      rolledOutCount,
      versionCount,
    ),
    tellPart(
      { name: 'artifacts', text: 'versions have an artifact here, with its SHA-256', page: '/firmware' },
      artifactCount,
      versionCount,
    ),
    deviceCount === 0
      ? tellUnknown('devices-on-newest', 'No device reports a version: how many have the newest is not known', '/devices')
      : tellPart(
          { name: 'devices-on-newest', text: 'reports of devices name the newest version of their firmware', page: '/devices' },
          newestDeviceCount,
          deviceCount,
        ),
    tellUnknown('signatures', 'Whether updates are signed, and checked on the device, is not known'),
  ]
}

function tellSboms({ firmware }: WorkspaceFacts): ToldFact[] {
  const { newestCount, sbomCount, topLevelCount, completenessCount, unreadCount } = firmware
  const page = '/firmware'
  if (newestCount === 0)
    return [tellUnknown('sboms', 'There is no firmware version: nothing to tell of', page)]
  return [
    tellPart({ name: 'sboms', text: 'newest versions have an SBOM that was read', page }, sbomCount, newestCount),
    tellPart(
      { name: 'top-level', text: 'name dependencies of the product itself in it', page },
      topLevelCount,
      newestCount,
    ),
    tellPart(
      { name: 'completeness', text: 'say of every component whether its dependencies are complete', page },
      completenessCount,
      newestCount,
    ),
    ...(unreadCount > 0
      ? [tellPart({ name: 'unread', text: 'have an SBOM that is not read, or could not be', page }, unreadCount, newestCount)]
      : []),
  ]
}

const tellRemedies = ({ firmware: { undecidedCount } }: WorkspaceFacts): ToldFact[] => [
  tellCount(
    {
      name: 'undecided',
      text: `${formatCountOf(undecidedCount, 'critical or high finding')} of newest versions ${undecidedCount === 1 ? 'is' : 'are'} undecided`,
      page: '/findings',
    },
    undecidedCount,
  ),
  tell({
    name: 'times',
    text: 'How long decisions, fixes and updates took is told by the figures of a period',
    page: '/figures',
  }),
]

const tellReviews = ({ sources: { count, staleCount } }: WorkspaceFacts): ToldFact[] => [
  tellPart(
    {
      name: 'stale-sources',
      text: 'vulnerability sources are too old or were never read; versions are judged again with each record of the others',
      page: '/settings',
    },
    staleCount,
    count,
  ),
  tellUnknown('tests', 'Tests and reviews outside of Plimsoll are not known'),
]

function tellAdvisories({ publications, publisher }: WorkspaceFacts): ToldFact[] {
  const { publishedCount, draftCount } = publications
  return [
    tellCount(
      {
        name: 'advisories',
        text: `${formatCountOf(publishedCount, 'advisory', 'advisories')} published, ${formatCountOf(draftCount, 'draft')}`,
        page: '/advisories',
      },
      publishedCount,
    ),
    tell({
      name: 'public-path',
      text: `The public path of advisories is ${publisher.isPublic ? 'on' : 'off'}`,
      page: '/settings/advisories',
    }),
  ]
}

const tellContacts = ({ publications }: WorkspaceFacts): ToldFact[] => [
  tellPart(
    { name: 'contacts', text: 'cohorts have contacts who are mailed advisories', page: '/deployments' },
    publications.contactedCohortCount,
    publications.cohortCount,
  ),
]

const tellPolicy = ({ disclosure: { isPublic, hasPolicy } }: WorkspaceFacts): ToldFact[] => [
  tell({
    name: 'policy-page',
    text: `The public page is ${isPublic ? 'on' : 'off'}`,
    page: '/disclosure-reports',
  }),
  tell({
    name: 'policy-text',
    text: hasPolicy ? 'It has a policy of your own' : 'Nobody has written a policy for it',
    page: '/disclosure-reports',
  }),
]

const tellContact = (facts: WorkspaceFacts): ToldFact[] => [
  tell({
    name: 'intake',
    text: `The form for reports from outside is ${facts.disclosure.isPublic ? 'on' : 'off'}`,
    page: '/disclosure-reports',
  }),
  tellCount(
    {
      name: 'contacts',
      text: `${formatCountOf(facts.publisher.contactCount, 'contact')} for security.txt`,
      page: '/settings/advisories',
    },
    facts.publisher.contactCount,
  ),
]

const tellUpstream = ({ publications: { upstreamCount, upstreamFixCount } }: WorkspaceFacts): ToldFact[] => [
  tellCount(
    {
      name: 'upstream-reports',
      text: `${formatCountOf(upstreamCount, 'report')} to makers of components recorded`,
      page: '/findings',
    },
    upstreamCount,
  ),
  tellPart(
    { name: 'upstream-fixes', text: 'of these with a fix that was shared', page: '/findings' },
    upstreamFixCount,
    upstreamCount,
  ),
]

function tellSupport({ lines, retainedCount }: WorkspaceFacts): ToldFact[] {
  const page = '/product-lines'
  const parts: [name: string, text: string, count: number][] = [
    ['without-end', 'product lines: nobody has said when support ends', lines.withoutEnd],
    ['ended', 'product lines: support has ended', lines.ended],
    ['without-use', 'product lines: nobody has said how long they are expected to be used', lines.withoutUse],
  ]
  return [
    ...(lines.count === 0
      ? [tellUnknown('lines', 'There is no product line: support periods are not known', page)]
      : parts.map(([name, text, count]) => tellPart({ name, text, page }, count, lines.count))),
    tellCount(
      {
        name: 'firmware-without-line',
        text: `${formatCountOf(lines.firmwareWithout, 'firmware')} in no product line: retention does not hold there`,
        page,
      },
      lines.firmwareWithout,
    ),
    tellCount(
      { name: 'retained', text: `${formatCountOf(retainedCount, 'version')} kept, with what belongs to them`, page },
      retainedCount,
    ),
  ]
}

const tellCases = ({ cases, publications: { deadlineRuleCount } }: WorkspaceFacts): ToldFact[] => [
  tellCount(
    { name: 'open-cases', text: `${formatCountOf(cases.open, 'case')} with running clocks`, page: '/cases' },
    cases.open,
  ),
  tellPart({ name: 'late-cases', text: 'of these have a report that is late', page: '/cases' }, cases.late, cases.open),
  tellCount(
    { name: 'proposals', text: `${formatCountOf(cases.proposed, 'proposal')} to assess`, page: '/cases' },
    cases.proposed,
  ),
  tellCount(
    {
      name: 'deadline-rules',
      text: `${formatCountOf(deadlineRuleCount, 'alert rule')} that tells of deadlines`,
      page: '/alerts',
    },
    deadlineRuleCount,
  ),
]

const tellEvidence = ({ evidence: { keyCreatedAt }, publications: { lastBundleAt } }: WorkspaceFacts): ToldFact[] => [
  tell({
    name: 'evidence-key',
    text:
      keyCreatedAt === null
        ? 'No key for evidence bundles yet: the first bundle makes one'
        : `Bundles are signed with a key of ${formatInstant(keyCreatedAt)}`,
    page: '/product-lines',
  }),
  tell({
    name: 'last-bundle',
    text:
      lastBundleAt === null
        ? 'No bundle of a product line was made yet'
        : `The last bundle was made on ${formatInstant(lastBundleAt)}`,
    page: '/product-lines',
  }),
]

const tellProposals = ({ cases: { proposed, overdueProposals } }: WorkspaceFacts): ToldFact[] => [
  tellPart(
    { name: 'overdue-proposals', text: 'proposals wait for longer than 4 hours', page: '/cases' },
    overdueProposals,
    proposed,
  ),
]

const tellAnswers = ({ disclosure: { openCount, lateCount } }: WorkspaceFacts): ToldFact[] => [
  tellPart(
    { name: 'late-reports', text: 'open reports from outside are late', page: '/disclosure-reports' },
    lateCount,
    openCount,
  ),
]

function tellSecurityText({ publisher: { servedUntil }, now }: WorkspaceFacts): ToldFact {
  const page = '/settings/advisories'
  if (servedUntil === null)
    return tellUnknown('security-text', 'Nobody has said which security.txt is served: not known', page)
  const when = `${servedUntil < now ? 'has EXPIRED on' : 'is valid until'} ${formatInstant(servedUntil)}`
  return tell({ name: 'security-text', text: `The security.txt that people serve ${when}, as they said`, page })
}

const tellDrills = ({ cases: { drills, lastDrillAt } }: WorkspaceFacts): ToldFact[] => [
  tellCount(
    {
      name: 'drills',
      text:
        lastDrillAt === null
          ? 'No drill yet'
          : `${formatCountOf(drills, 'drill')}, the last one begun on ${formatInstant(lastDrillAt)}`,
      page: '/cases',
    },
    drills,
  ),
]

const tellSeal = ({ newestSeal }: WorkspaceFacts): ToldFact =>
  newestSeal === null
    ? tellUnknown('seal', 'No day of the audit log is sealed yet', '/settings/audit-log')
    : tell({
        name: 'seal',
        text: `The audit log is sealed until the end of ${newestSeal.day}`,
        page: '/settings/audit-log',
      })
