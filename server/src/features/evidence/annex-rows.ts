/** What a bundle has of the technical documentation, and what people have to add. */
import { formatCountOf } from '../../formats/counts.ts'
import { type Html, type HtmlPart, renderHtml } from '../../platform/html.ts'
import { renderFacts } from '../printed-reports/index.ts'
import { type BundleOrigin, type IndexedContents, UNKNOWN } from './bundled.ts'

export interface AnnexRow {
  number: string
  what: string
  held: HtmlPart
  missing: string
}

/** By the numbers of Annex VII. */
export function listAnnexRows({ line }: BundleOrigin, contents: IndexedContents): AnnexRow[] {
  const sboms = contents.versions.flatMap((version) => version.sboms)
  const sbomCount = sboms.filter(({ path }) => path !== null).length
  return [...listFirstRows(contents, sbomCount), ...listLastRows(line, sbomCount)]
}

function listFirstRows(
  { versions, cases, advisories, outsideReports, upstreamReports, ...contents }: IndexedContents,
  sbomCount: number,
): AnnexRow[] {
  return [
    {
      number: '1',
      what: 'The product and its versions',
      held: [linkTo('product-line.json'), linkTo('versions.csv', versions.length, 'version')],
      missing: 'Intended purpose, photographs of hardware, information and instructions for users',
    },
    {
      number: '2(a)',
      what: 'Design and development',
      held: 'Nothing',
      missing: 'Drawings, schemes, the architecture of the system',
    },
    {
      number: '2(b)',
      what: 'Handling of vulnerabilities',
      held: [
        linkTo('sboms.csv', sbomCount, 'SBOM'),
        linkTo(
          'chain.csv',
          contents.chainCount,
          'link from SBOM to device',
          'links from SBOM to device',
        ),
        linkTo('findings.csv', contents.findingCount, 'finding'),
        linkTo('decisions.csv', contents.decisionCount, 'decision'),
        linkTo('deployments.csv', contents.deploymentCount, 'roll-out'),
        linkTo('uptake.csv', contents.uptakeCount, 'day and version', 'days and versions'),
        ...[
          formatCountOf(cases.length, 'case'),
          formatCountOf(outsideReports.length, 'report from outside', 'reports from outside'),
          formatCountOf(upstreamReports.length, 'report to upstream', 'reports to upstream'),
          formatCountOf(advisories.length, 'revision of advisories', 'revisions of advisories'),
        ].map((counted) => renderHtml`<div>${counted}</div>`),
      ],
      missing: 'The policy of coordinated disclosure, its contact address, how updates are signed',
    },
    {
      number: '2(c)',
      what: 'Production and monitoring',
      held: 'Nothing',
      missing: 'Processes, and how they were validated',
    },
    {
      number: '3',
      what: 'Risk assessment',
      held: 'Nothing',
      missing: 'The assessment of cybersecurity risks, and which requirements apply',
    },
  ]
}

function listLastRows(line: BundleOrigin['line'], sbomCount: number): AnnexRow[] {
  return [
    {
      number: '4',
      what: 'Support period',
      held: renderFacts([
        ['Ends with', line.supportEndsIn ?? UNKNOWN],
        [
          'Expected use',
          line.expectedUseYears === null ? UNKNOWN : formatCountOf(line.expectedUseYears, 'year'),
        ],
        ['Because', line.expectedUseReason ?? UNKNOWN],
      ]),
      missing: 'What else was taken into account',
    },
    {
      number: '5',
      what: 'Standards',
      held: 'Nothing',
      missing: 'Standards, specifications and certificates that were applied',
    },
    { number: '6', what: 'Tests', held: 'Nothing', missing: 'Reports of tests' },
    {
      number: '7',
      what: 'Declaration',
      held: 'Nothing',
      missing: 'A copy of the EU declaration of conformity',
    },
    {
      number: '8',
      what: 'SBOM',
      held: [linkTo('sboms.csv', sbomCount, 'SBOM'), 'Files as they were received, in sboms/'],
      missing: 'SBOMs that were never uploaded',
    },
  ]
}

function linkTo(path: string, count?: number, noun = '', plural?: string): Html {
  const counted = count === undefined ? '' : `: ${formatCountOf(count, noun, plural)}`
  return renderHtml`<div><a href="${path}">${path}</a>${counted}</div>`
}
