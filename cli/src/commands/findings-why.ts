import type { Command } from 'commander'
import type { AnswerOf } from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { getFirmwareVersionId, namingVersion, type VersionName } from '../firmware-version.ts'
import { UUID } from '../named.ts'
import { asComponent } from '../option-values.ts'
import { printJson, printLine } from '../print.ts'
import { printable } from '../printable.ts'
import { type ConnectionOptions, connecting, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { terminal } from '../terminal.ts'

interface WhyOptions extends ConnectionOptions, VersionName {
  component: string
  cve?: string
}

type Answer = AnswerOf<'judgeComponent'>
type Vulnerability = Answer['vulnerabilities'][number]

export function addFindingsWhy(findings: Command): void {
  connecting(namingVersion(findings.command('why')))
    .description('Say why a component has a vulnerability, or has it not, record by record')
    .requiredOption(
      '--component <name[@version]>',
      'the component as its SBOM declares it, or its id',
    )
    .option('--cve <id>', 'the vulnerability; without it only how the component is identified')
    .action(why)
}

async function why(options: WhyOptions): Promise<void> {
  const session = await openSession(options)
  const firmwareVersionId = await getFirmwareVersionId(session, options)
  const ids = await findComponentIds(session, firmwareVersionId, options)
  const { client, workspaceId } = session
  const path =
    '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/components/{componentId}/judgements'
  const answers: Answer[] = []
  for (const componentId of ids)
    answers.push(
      await client.get(path, {
        params: { workspaceId, firmwareVersionId, componentId },
        query: options.cve === undefined ? {} : { cveId: options.cve },
      }),
    )
  if (options.json) printJson({ components: answers })
  else
    for (const [index, answer] of answers.entries()) {
      if (index > 0) printLine('')
      printAnswer(answer)
    }
}

const MOST_COMPONENTS = 5

/** One id for each distinct declaration: equal declarations have the same answer. */
async function findComponentIds(
  session: Session,
  firmwareVersionId: string,
  { component }: WhyOptions,
): Promise<string[]> {
  if (UUID.test(component)) return [component]
  const found = await listComponents(session, firmwareVersionId, {
    components: [asComponent(component)],
  })
  const declared = new Map(
    found.map(({ id, packageName, version, vendor, purl, cpes }) => [
      JSON.stringify([packageName, version, vendor, purl, cpes]),
      id,
    ]),
  )
  if (declared.size > MOST_COMPONENTS)
    throw usageError(
      `${declared.size} different components are called ${component}: add @version, or give an id of components list --sbom … --json.`,
    )
  if (declared.size > 0) return [...declared.values()]
  const { packageName } = asComponent(component)
  const like = await listComponents(session, firmwareVersionId, {
    name: [{ contains: packageName }],
  })
  const names = [...new Set(like.map((one) => nameOf(one)))].slice(0, MOST_COMPONENTS)
  const hint = names.length > 0 ? ` Similar: ${names.join(', ')}.` : ''
  throw usageError(`The firmware version has no component ${component}.${hint}`)
}

async function listComponents(
  { client, workspaceId }: Session,
  firmwareVersionId: string,
  filter: {
    components?: { packageName: string; version?: string }[]
    name?: { contains: string }[]
  },
) {
  const body = { limit: 100, filter: { ...filter, firmwareVersionIds: [firmwareVersionId] } }
  const path = '/workspaces/{workspaceId}/components/list'
  return (await client.post(path, { params: { workspaceId }, body })).components
}

function nameOf({ packageName, version }: { packageName: string; version: string | null }): string {
  return version === null ? packageName : `${packageName}@${version}`
}

interface Line {
  source: string
  record: string
  verdict: string
  name: string
  version: string
  range: string
  order: string
  confidence: string | null
  why: string
}

const LINES: readonly Column<Line>[] = [
  { title: 'SOURCE', value: ({ source }) => source },
  { title: 'RECORD', value: ({ record }) => record },
  { title: 'VERDICT', value: ({ verdict }) => verdict },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'VERSION', value: ({ version }) => version },
  { title: 'RANGE', value: ({ range }) => range },
  { title: 'ORDER', value: ({ order }) => order },
  { title: 'CONFIDENCE', value: ({ confidence }) => confidence },
  { title: 'NOTES', value: (line) => line.why },
]

function printAnswer({ component, identity, vulnerabilities }: Answer): void {
  printLine(printable(`${nameOf(component)} of ${component.sbom.fileName}`))
  for (const vulnerability of vulnerabilities) printVulnerability(vulnerability)
  printLine('\nHow it is identified:')
  for (const { rule, text } of identity.steps) printLine(printable(`  ${rule}: ${text}`))
  const known = identity.names.filter(({ isKnown }) => isKnown).map(({ key }) => key)
  if (identity.names.length > 0)
    printLine(
      printable(
        known.length > 0
          ? `  Records in the store have ${[...new Set(known)].join(', ')}.`
          : '  No source knows any of its names.',
      ),
    )
  for (const text of identity.advice) printLine(printable(`  ${text}`))
}

function printVulnerability({ cveId, conclusion, text, findingId, records }: Vulnerability): void {
  printLine(printable(`${cveId}: ${conclusion}. ${text}`))
  if (findingId !== null) printLine(`Finding: ${findingId}`)
  const lines = records.flatMap(linesOf)
  if (lines.length === 0) return
  printLine('')
  writeTable(terminal().stdout, LINES, lines)
}

const MOST_NAMES = 3

function linesOf({
  source,
  advisoryId,
  verdict,
  comparisons,
  otherNames,
}: Vulnerability['records'][number]): Line[] {
  const record = { source, record: advisoryId }
  if (comparisons.length === 0) {
    const names = otherNames.slice(0, MOST_NAMES)
    const rest =
      otherNames.length > names.length ? `, and ${otherNames.length - names.length} more` : ''
    const nothing = { version: '', range: '', order: '', confidence: null }
    return [{ ...record, ...nothing, verdict, name: names.join(', ') + rest, why: '' }]
  }
  return comparisons.map(({ key, version, range, comparator, confidence, notes, ...one }) => ({
    ...record,
    verdict: one.verdict,
    name: key,
    version,
    range,
    order: comparator,
    confidence,
    why: [...(one.outrankedBy === null ? [] : [`outranked by ${one.outrankedBy}`]), ...notes].join(
      '; ',
    ),
  }))
}
