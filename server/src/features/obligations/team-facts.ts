/** What is told of what a team does: advisories, reports, support periods, cases, evidence, and good practice. */
import { formatCountOf } from '../../formats/counts.ts'
import { formatInstant } from '../../formats/instants.ts'
import {
  tell,
  tellCount,
  tellPart,
  tellUnknown,
  type ToldFact,
  type WorkspaceFacts,
} from './told-fact.ts'

export function tellAdvisories({ publications, publisher }: WorkspaceFacts): ToldFact[] {
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

export const tellContacts = ({ publications }: WorkspaceFacts): ToldFact[] => [
  tellPart(
    {
      name: 'contacts',
      text: 'cohorts have contacts who are mailed advisories',
      page: '/deployments',
    },
    publications.contactedCohortCount,
    publications.cohortCount,
  ),
]

export const tellPolicy = ({ disclosure: { isPublic, hasPolicy } }: WorkspaceFacts): ToldFact[] => [
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

export const tellContact = (facts: WorkspaceFacts): ToldFact[] => [
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

export const tellUpstream = ({
  publications: { upstreamCount, upstreamFixCount },
}: WorkspaceFacts): ToldFact[] => [
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

export function tellSupport({ lines, retainedCount }: WorkspaceFacts): ToldFact[] {
  const page = '/product-lines'
  const parts: [name: string, text: string, count: number][] = [
    ['without-end', 'product lines: nobody has said when support ends', lines.withoutEnd],
    ['ended', 'product lines: support has ended', lines.ended],
    [
      'without-use',
      'product lines: nobody has said how long they are expected to be used',
      lines.withoutUse,
    ],
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
      {
        name: 'retained',
        text: `${formatCountOf(retainedCount, 'version')} kept, with what belongs to them`,
        page,
      },
      retainedCount,
    ),
  ]
}

export const tellCases = ({
  cases,
  publications: { deadlineRuleCount },
}: WorkspaceFacts): ToldFact[] => [
  tellCount(
    {
      name: 'open-cases',
      text: `${formatCountOf(cases.open, 'case')} with running clocks`,
      page: '/cases',
    },
    cases.open,
  ),
  tellPart(
    { name: 'late-cases', text: 'of these have a report that is late', page: '/cases' },
    cases.late,
    cases.open,
  ),
  tellCount(
    {
      name: 'proposals',
      text: `${formatCountOf(cases.proposed, 'proposal')} to assess`,
      page: '/cases',
    },
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

export const tellEvidence = ({
  evidence: { keyCreatedAt },
  publications: { lastBundleAt },
}: WorkspaceFacts): ToldFact[] => [
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

export const tellProposals = ({
  cases: { proposed, overdueProposals },
}: WorkspaceFacts): ToldFact[] => [
  tellPart(
    { name: 'overdue-proposals', text: 'proposals wait for longer than 4 hours', page: '/cases' },
    overdueProposals,
    proposed,
  ),
]

export const tellAnswers = ({
  disclosure: { openCount, lateCount },
}: WorkspaceFacts): ToldFact[] => [
  tellPart(
    {
      name: 'late-reports',
      text: 'open reports from outside are late',
      page: '/disclosure-reports',
    },
    lateCount,
    openCount,
  ),
]

export function tellSecurityText({ publisher: { servedUntil }, now }: WorkspaceFacts): ToldFact {
  const page = '/settings/advisories'
  if (servedUntil === null)
    return tellUnknown(
      'security-text',
      'Nobody has said which security.txt is served: not known',
      page,
    )
  const when = `${servedUntil < now ? 'has EXPIRED on' : 'is valid until'} ${formatInstant(servedUntil)}`
  return tell({
    name: 'security-text',
    text: `The security.txt that people serve ${when}, as they said`,
    page,
  })
}

export const tellDrills = ({ cases: { drills, lastDrillAt } }: WorkspaceFacts): ToldFact[] => [
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

export const tellSeal = ({ newestSeal }: WorkspaceFacts): ToldFact =>
  newestSeal === null
    ? tellUnknown('seal', 'No day of the audit log is sealed yet', '/settings/audit-log')
    : tell({
        name: 'seal',
        text: `The audit log is sealed until the end of ${newestSeal.day}`,
        page: '/settings/audit-log',
      })
