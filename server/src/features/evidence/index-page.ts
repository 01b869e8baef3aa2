/** The page of a bundle that says what it holds, by numbers of Annex VII, and what people have to add. */
import { formatCountOf } from '../../formats/counts.ts'
import { PUBLIC_KEY, SIGNATURE, SUMS } from '../../formats/evidence-sums.ts'
import { formatInstant } from '../../formats/instants.ts'
import { lowerWords } from '../../formats/words.ts'
import { type Html, renderHtml } from '../../platform/html.ts'
import {
  renderFacts,
  renderList,
  renderSection,
  renderTable,
  renderWarning,
  STYLE,
} from '../printed-reports/index.ts'
import { type AnnexRow, listAnnexRows } from './annex-rows.ts'
import {
  type BundledCase,
  type BundledOutsideReport,
  type BundledVersion,
  type BundleOrigin,
  describePeriod,
  type IndexedContents,
  UNKNOWN,
} from './bundled.ts'

export function renderIndex(origin: BundleOrigin, contents: IndexedContents): string {
  const { line, workspaceName, madeBy, madeAt, release, to, fingerprint } = origin
  return String(renderHtml`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Evidence: ${line.name}, ${formatInstant(to)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<div class="kind">Evidence of a product line</div>
<h1>${line.name}</h1>
<p class="small">${line.manufacturer}. ${describePeriod(origin)} Made by ${madeBy} in ${workspaceName} on ${formatInstant(madeAt)} with Plimsoll ${release}.</p>
</header>
<main>
${renderProduct(origin)}
${renderSection(
  'By numbers of Annex VII',
  renderTable(
    [
      { title: 'Annex VII', width: 12, cell: ({ number }: AnnexRow) => number },
      { title: 'What', width: 28, cell: ({ what }) => what },
      { title: 'In this bundle', width: 30, cell: ({ held }) => held },
      { title: 'People have to add', cell: ({ missing }) => missing },
    ],
    listAnnexRows(origin, contents),
  ),
)}
${renderLimits(contents)}
${renderSeal(contents)}
${renderVersions(contents.versions)}
${renderCases(contents.cases)}
${renderOutsideReports(contents)}
${renderUpstreamReports(contents.upstreamReports)}
${renderAdvisories(contents.advisories)}
</main>
<footer class="small">
<p>Articles and annexes are those of Regulation (EU) 2024/2847. This page names them and quotes nothing; Plimsoll gives no legal advice. ${SUMS} has the SHA-256 of each file, ${SIGNATURE} its Ed25519 signature by the key ${fingerprint} (${PUBLIC_KEY}). README.txt says how to verify both.</p>
</footer>
</body>
</html>
`)
}

function renderProduct({ line }: BundleOrigin): Html {
  return renderSection(
    'The product line',
    renderFacts([
      ['Manufacturer', `${line.manufacturer} (${line.role.toLowerCase()})`],
      [
        'Class',
        line.category === null ? line.productClass : `${line.productClass}, ${line.category}`,
      ],
      ['Made available in', line.memberStates.join(', ') || UNKNOWN],
      ['First placed on the market', line.firstPlacedOn ?? UNKNOWN],
      ['Support until the end of', line.supportEndsIn ?? UNKNOWN],
      ['Contact', line.contact ?? UNKNOWN],
    ]),
  )
}

const link = (path: string, text: string) => renderHtml`<a href="${path}">${text}</a>`

function renderLimits({ versions, staleSources }: IndexedContents): Html {
  const sboms = versions.flatMap((version) => version.sboms)
  const missing = sboms.filter(({ path }) => path === null).length
  const other = sboms.filter(({ state }) => state === 'Not as received').length
  const without = versions.filter((version) => version.sboms.length === 0).length
  return renderSection(
    'What this bundle does not know',
    missing + other === 0
      ? null
      : renderWarning(
          `Of ${formatCountOf(sboms.length, 'SBOM')}, ${missing} have no file any more, and ${other} are not what was received: sboms.csv names them.`,
        ),
    staleSources.length === 0
      ? null
      : renderWarning(
          `Older than this service allows, or never read: ${staleSources.join(', ')}. What they published since is not in findings.csv.`,
        ),
    renderList([
      ...(without === 0
        ? []
        : [
            `${formatCountOf(without, 'version')} without an SBOM: nothing is known of their components.`,
          ]),
      'Findings are those that were known and decided at the end of the period. Ages of sources, cases, and what a product line says are those of when the bundle was made; facts of cases have their instants.',
      'versions.csv says how many devices ran a version when the bundle was made; uptake.csv says it of each day of the period.',
      'chain.csv says what linked SBOMs, images and devices when the bundle was made, with the keys that were trusted then: what did at the end of the period is not kept.',
      'Versions and SBOMs that were deleted, or replaced and no longer kept, are not here. Uptake is kept for 800 days.',
      'No finding proves nothing of what no source has published.',
    ]),
  )
}

function renderSeal({ newestSeal }: IndexedContents): Html {
  return renderSection(
    'The audit log (good practice)',
    newestSeal === null
      ? 'No day of it is sealed yet.'
      : renderHtml`<p>Each day of the audit log of the workspace ends with a seal over all before it. That of ${newestSeal.day} is <code>${newestSeal.seal}</code>; ${link('audit-seals.csv', 'audit-seals.csv')} has all. The entries themselves are not here.</p>`,
  )
}

/** A page stays readable; tables have all of them. */
const MOST_SHOWN = 1_000

function renderVersions(versions: readonly BundledVersion[]): Html {
  return renderSection(
    'Versions',
    versions.length > MOST_SHOWN
      ? `The last ${MOST_SHOWN} of ${versions.length}; versions.csv has all.`
      : null,
    renderTable(
      [
        { title: 'Firmware', width: 20, cell: ({ firmware }: BundledVersion) => firmware },
        { title: 'Version', width: 14, cell: ({ version }) => version },
        { title: 'Since', width: 18, cell: ({ createdAt }) => formatInstant(createdAt) },
        {
          title: 'First rolled out',
          width: 18,
          cell: ({ firstDeployedAt: at }) => (at === null ? 'never from here' : formatInstant(at)),
        },
        {
          title: 'SBOMs',
          cell: ({ sboms }) =>
            sboms.length === 0
              ? 'none'
              : sboms.map(({ path, fileName, state }) =>
                  path === null
                    ? renderHtml`<div>${fileName}: ${state.toLowerCase()}</div>`
                    : renderHtml`<div>${link(path, fileName)}</div>`,
                ),
        },
      ],
      versions.slice(-MOST_SHOWN),
    ),
  )
}

function renderCases(cases: readonly BundledCase[]): Html {
  if (cases.length === 0) return renderSection('Cases of Article 14', 'There is none.')
  return renderSection(
    'Cases of Article 14',
    renderTable(
      [
        {
          title: 'Case',
          width: 40,
          cell: ({ path, title, cveId, isDrill }: BundledCase) => [
            link(path, title),
            isDrill ? 'A drill' : cveId,
          ],
        },
        { title: 'State', width: 14, cell: ({ state }) => state },
        { title: 'Since', width: 18, cell: ({ createdAt }) => formatInstant(createdAt) },
        {
          title: 'Reports as submitted',
          cell: ({ reports }) =>
            reports.length === 0
              ? 'none'
              : reports.map(
                  ({ path, stage, submittedAt }) =>
                    renderHtml`<div>${link(path, stage)}, ${formatInstant(submittedAt)}</div>`,
                ),
        },
      ],
      cases,
    ),
  )
}

const describeClock = ({ step, doneAt, state }: BundledOutsideReport['clocks'][number]) =>
  doneAt === null
    ? `${step}: ${state.toLowerCase()}`
    : `${step}: ${formatInstant(doneAt)}${state === 'DoneLate' ? ', late' : ''}`

function renderOutsideReports({
  outsideReports,
  unassignedReportCount: unassigned,
}: IndexedContents): Html {
  const title = 'Reports of vulnerabilities from outside'
  const others =
    unassigned === 0
      ? null
      : `${formatCountOf(unassigned, 'report')} to the manufacturer chose no product line and joined no case: not here.`
  if (outsideReports.length === 0) return renderSection(title, 'None is about this line.', others)
  return renderSection(
    title,
    'How whoever reported can be reached is left out, and so are notes of the team. Texts are as they were sent. Times are good practice, no law.',
    others,
    renderTable(
      [
        {
          title: 'Report',
          width: 34,
          cell: ({ path, textPath, title: name }: BundledOutsideReport) =>
            renderHtml`${link(path, name)} (${link(textPath, 'text')})`,
        },
        { title: 'Received', width: 18, cell: ({ receivedAt }) => formatInstant(receivedAt) },
        {
          title: 'State',
          width: 14,
          cell: ({ state, dismissal }) => lowerWords(dismissal ?? state),
        },
        {
          title: 'Answered, assessed, disclosed',
          cell: ({ clocks }) =>
            clocks.map((clock) => renderHtml`<div>${describeClock(clock)}</div>`),
        },
        { title: 'Thanks to', width: 12, cell: ({ credit }) => credit ?? 'nobody' },
      ],
      outsideReports.slice(-MOST_SHOWN),
    ),
  )
}

function renderUpstreamReports(reports: IndexedContents['upstreamReports']): Html {
  const title = 'Reports to makers of components: 13(6)'
  if (reports.length === 0) return renderSection(title, 'None was recorded.')
  return renderSection(
    title,
    renderTable(
      [
        {
          title: 'Vulnerability',
          width: 20,
          cell: ({ path, vulnerabilityId }: IndexedContents['upstreamReports'][number]) =>
            link(path, vulnerabilityId),
        },
        { title: 'Component', width: 20, cell: ({ componentName }) => componentName },
        { title: 'Reported to', cell: ({ recipient }) => recipient },
        { title: 'On', width: 18, cell: ({ reportedAt }) => formatInstant(reportedAt) },
        { title: 'Fix', width: 12, cell: ({ hasFix }) => (hasFix ? 'shared' : 'none shared') },
      ],
      reports.slice(-MOST_SHOWN),
    ),
  )
}

function renderAdvisories(advisories: IndexedContents['advisories']): Html {
  if (advisories.length === 0) return renderSection('Advisories', 'None was published.')
  return renderSection(
    'Advisories as published',
    renderTable(
      [
        {
          title: 'Advisory',
          width: 30,
          cell: ({ path, trackingId, number }: IndexedContents['advisories'][number]) =>
            link(path, `${trackingId}, revision ${number}`),
        },
        { title: 'Title', cell: ({ title }) => title },
      ],
      advisories,
    ),
  )
}
