/** The dossier of a release on paper. */
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import { formatAcceptanceDay } from '../../../formats/acceptances.ts'
import { formatCountOf, formatNumber } from '../../../formats/counts.ts'
import { formatPortalPath } from '../../../formats/portal-pages.ts'
import { formatWords } from '../../../formats/words.ts'
import { renderHtml, type Html } from '../../../platform/html.ts'
import {
  describeLeftOut,
  renderCell,
  renderFacts,
  renderList,
  renderSection,
  renderSheet,
  renderTable,
  renderWarning,
} from '../sheet/sheet.ts'
import { renderSources } from '../sheet/sources.ts'
import { formatDay, formatTime, nameFormat } from '../sheet/words.ts'
import { renderCounts, sumCounts } from '../version/counts-table.ts'
import { renderFindings } from '../version/findings-table.ts'
import { renderNotJudged, renderVerdict } from '../version/page.ts'
import { describeGrades, type Dossier } from './dossier.ts'
import { renderChain, renderLicences, renderSupport } from './tables.ts'

/** Rows of each table of findings on paper; the CSV has all up to its own limit. Both say what they leave out. */
export const MOST_PRINTED = 1000

export function renderDossier(dossier: Dossier): string {
  const { workspaceId, version, imprint, counts, present } = dossier
  const title = `${version.firmware.name} ${version.name}`
  const count = (isActive: boolean) => sumCounts(counts, (one) => one.isActive === isActive)
  return renderSheet({
    kind: 'Release dossier',
    title,
    imprint,
    page: formatPortalPath('firmwareVersion', { workspaceId, firmwareVersionId: version.id }),
    body: [
      renderIdentity(dossier),
      present && renderVerdict({ ...present, version }),
      present ? renderNotJudged(present) : renderLookedAt(dossier),
      renderSboms(dossier),
      renderArtifact(dossier),
      renderChain(dossier),
      renderCounts(counts),
      renderFindings('Open findings: those that count', {
        rows: dossier.activeFindings,
        total: count(true),
        none: 'No finding counts. That proves nothing of what could not be judged.',
      }),
      renderFindings('Findings that do not count, with the reasons', {
        rows: dossier.otherFindings,
        total: count(false),
        none: 'There are none.',
      }),
      renderAccepted(dossier),
      renderPredecessor(dossier),
      present && renderLicences(present.licences),
      present && renderSupport(present.support),
      renderDeployments(dossier),
      renderUptake(dossier),
      present && renderSources(present.sources, imprint.printedAt),
      renderTimes(dossier),
    ],
  })
}

const SECURITY_ONLY = { true: 'yes', false: 'no', null: 'not known: nobody has said' } as const

function renderIdentity({ version, at }: Dossier): Html {
  const facts = renderFacts([
    ['Firmware', `${version.firmware.name} (${version.firmware.slug})`],
    ['Version', version.name],
    ['Build id', version.buildId],
    ['Package URL', version.purl],
    ['Release line', version.line?.name ?? null],
    ['Security only', SECURITY_ONLY[`${version.securityOnly}`]],
    ['Created', formatTime(version.createdAt)],
  ])
  if (version.createdAt <= at) return facts
  return renderHtml`${facts}${renderWarning(`The version did not exist yet on that day: it was created on ${formatTime(version.createdAt)}.`)}`
}

function renderLookedAt({ lookedAt: { packageCount } }: Dossier): Html {
  const title = 'What could not be judged'
  if (packageCount === 0)
    return renderSection(
      title,
      renderWarning(
        'No component was known then: nothing was looked up, and no findings prove nothing.',
      ),
    )
  return renderSection(
    title,
    renderWarning(
      `${formatCountOf(packageCount, 'package')} of the version ${packageCount === 1 ? 'was' : 'were'} looked up then. Of which components nothing could be told is not kept for the past.`,
    ),
  )
}

function renderSboms({ sboms }: Dossier): Html {
  if (sboms.length === 0)
    return renderSection('SBOMs', renderWarning('There is no SBOM: nothing could be looked up.'))
  return renderSection(
    'SBOMs',
    renderTable(
      [
        {
          title: 'File',
          width: 24,
          cell: (one) =>
            renderCell(one.fileName, [
              nameFormat(one.format, one.specVersion),
              `uploaded ${formatTime(one.createdAt)}`,
              one.replacedAt === null ? null : `replaced ${formatTime(one.replacedAt)}`,
            ]),
        },
        {
          title: 'Components',
          width: 14,
          isNumber: true,
          cell: ({ parsingState, componentCount }) =>
            parsingState === 'Succeeded' ? formatNumber(componentCount) : READING[parsingState],
        },
        {
          title: 'Grade, as last read',
          width: 34,
          cell: (one) => describeGrades(one).map((grade) => renderHtml`<div>${grade}</div>`),
        },
        {
          title: 'SHA-256',
          cell: ({ sha256 }) => renderHtml`<span class="small">${sha256}</span>`,
        },
      ],
      sboms,
    ),
  )
}

const READING = { InProgress: 'being read', Failed: 'could not be read' } as const

function renderArtifact({ artifact, at, present }: Dossier): Html {
  const title = 'Artifact'
  if (!artifact)
    return renderSection(title, 'There is none here. What is installed otherwise is not known.')
  const isNewer = artifact.createdAt > at
  return renderSection(
    title,
    isNewer
      ? renderWarning(
          'It was uploaded after that day. Whether there was another one before is not known.',
        )
      : present === null
        ? 'As it is now: whether it replaced another one is not kept.'
        : null,
    renderFacts([
      ['File', artifact.fileName],
      ['Bytes', formatNumber(artifact.sizeBytes)],
      ['SHA-256', artifact.sha256],
      ['Uploaded', formatTime(artifact.createdAt)],
      ['Signature', describeSignature(present)],
    ]),
  )
}

/** An artifact of which nothing was kept yet is told as such by its check. */
function describeSignature(present: Dossier['present']): string {
  if (!present) return 'not known for that day: it is checked with the keys that are trusted now'
  const reasons = present.images.map(({ role, fileName, reason }) =>
    role === 'image' ? reason : `${fileName} (${role}): ${reason}`,
  )
  return reasons.length === 0 ? 'not known: it was not checked' : reasons.join(' ')
}

function renderAccepted({ accepted }: Dossier): Html {
  const title = 'Accepted risks'
  if (accepted.length === 0) return renderSection(title, 'No finding was ignored.')
  const withoutEnd = accepted.filter(({ acceptance }) => !acceptance?.until).length
  return renderSection(
    title,
    `${formatCountOf(accepted.length, 'finding')} ignored, ${formatNumber(withoutEnd)} without an end.`,
    describeLeftOut(accepted.length, Math.min(accepted.length, MOST_PRINTED), 'finding'),
    renderTable(
      [
        {
          title: 'Vulnerability',
          width: 24,
          cell: (one) => renderCell(one.vulnerabilityId, [one.severity]),
        },
        {
          title: 'Component',
          width: 20,
          cell: ({ componentName, componentVersion }) =>
            [componentName, componentVersion].filter(Boolean).join(' '),
        },
        {
          title: 'Why, and who looks after it',
          cell: ({ acceptance }) =>
            renderCell(acceptance?.reason ?? 'Nobody has said why', [
              acceptance?.owner ? `looked after by ${acceptance.owner.email}` : null,
              acceptance?.acceptedByEmail ? `accepted by ${acceptance.acceptedByEmail}` : null,
            ]),
        },
        {
          title: 'Ends',
          width: 16,
          cell: ({ acceptance }) =>
            acceptance?.until ? formatAcceptanceDay(acceptance.until) : 'no end',
        },
      ],
      accepted.slice(0, MOST_PRINTED),
    ),
  )
}

function renderPredecessor({ predecessor, at }: Dossier): Html {
  const title = 'Compared with the version before'
  if (!predecessor) return renderSection(title, 'There is no earlier version to compare with.')
  const { name, differences, createdAt } = predecessor
  if (createdAt > at)
    return renderSection(
      title,
      `${name} did not exist yet on that day: there is nothing to compare with.`,
    )
  const bySeverity = new Map(differences.map((one) => [one.severity, one]))
  const rows = SEVERITIES.flatMap((severity) => bySeverity.get(severity) ?? [])
  return renderSection(
    title,
    `${name} is the version before, as it is named now. Vulnerabilities with a finding that counts; each counts once.`,
    rows.length === 0
      ? 'Neither has one.'
      : renderTable(
          [
            { title: 'Severity', width: 20, cell: ({ severity }) => severity },
            { title: 'New', isNumber: true, cell: (one) => formatNumber(one.introduced) },
            { title: 'In both', isNumber: true, cell: (one) => formatNumber(one.remaining) },
            { title: 'Gone or decided', isNumber: true, cell: (one) => formatNumber(one.gone) },
          ],
          rows,
        ),
  )
}

function renderDeployments({ deployments, present }: Dossier): Html {
  const title = 'Roll-outs'
  if (deployments === null)
    return renderSection(
      title,
      'Not shown: this dossier was made for somebody who may not read deployments.',
    )
  if (deployments.length === 0) return renderSection(title, 'It was not rolled out by Plimsoll.')
  return renderSection(
    title,
    present === null ? 'Those begun by the end of that day, with their states of now.' : null,
    renderTable(
      [
        { title: 'Roll-out', width: 24, cell: (one) => renderCell(one.name, [one.cohort]) },
        { title: 'Begun', width: 16, cell: ({ createdAt }) => formatTime(createdAt) },
        {
          title: 'State',
          width: 18,
          cell: ({ state, endedAt }) =>
            renderCell(formatWords(state), [
              endedAt === null ? null : `ended ${formatTime(endedAt)}`,
            ]),
        },
        { title: 'Done', isNumber: true, cell: ({ succeeded }) => formatNumber(succeeded) },
        { title: 'Failed', isNumber: true, cell: ({ failed }) => formatNumber(failed) },
        { title: 'Cancelled', isNumber: true, cell: ({ cancelled }) => formatNumber(cancelled) },
        { title: 'Open', isNumber: true, cell: ({ open }) => formatNumber(open) },
      ],
      deployments,
    ),
  )
}

function renderUptake({ deviceCount, present }: Dossier): Html {
  const title = 'Devices'
  if (deviceCount === null)
    return renderSection(
      title,
      renderWarning('Not known: devices of that day were not counted, or are not kept any more.'),
    )
  const said = `${formatCountOf(deviceCount, 'device')} reported that ${deviceCount === 1 ? 'it runs' : 'they run'} it`
  if (!present) return renderSection(title, `${said} at the end of that day.`)
  const { runningNow, seenLastDay, seenLastWeek, older } = present.seen
  return renderSection(
    title,
    `${said}: ${formatNumber(runningNow)} connected, ${formatNumber(seenLastDay)} seen within a day, ${formatNumber(seenLastWeek)} within a week, ${formatNumber(older)} longer ago or never.`,
  )
}

/** Each figure has its time; what is not kept for the past is named. */
function renderTimes({ imprint, at, present }: Dossier): Html {
  const computed = `Everything was computed on ${formatTime(imprint.printedAt)}, from one snapshot of the database.`
  if (present) return renderSection('When this was computed', `${computed} It shows that moment.`)
  return renderSection(
    'When this was computed',
    computed,
    `Findings, decisions, accepted risks, SBOMs and the comparison are those of the end of ${formatDay(at)} (UTC); grades, artifact, the version before, and states of roll-outs are those of now.`,
    renderWarning('Not known for the past, and not shown:'),
    renderList([
      'The mark, and what the release gate would have said.',
      'Licences and ends of support as they were judged then.',
      'Components of which nothing could be told, and how old the sources were.',
      'EPSS scores, and fixes that were known then. SBOMs that were deleted since.',
    ]),
  )
}
