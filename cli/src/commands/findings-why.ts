import type { ComponentJudgements } from '../../../api-client/src/index.ts'
import type { Command } from 'commander'
import { findVersionId, withVersion, type VersionOptions } from '../firmware-version.ts'
import { formatDeclaredName, readJudgements } from '../judgements.ts'
import { printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'

interface WhyOptions extends ConnectionOptions, VersionOptions {
  component: string
  cve?: string
}

type Vulnerability = ComponentJudgements['vulnerabilities'][number]

export function addFindingsWhy(findings: Command): void {
  withConnection(withVersion(findings.command('why')))
    .description('Say why a component has a vulnerability, or has it not, record by record')
    .requiredOption(
      '--component <name[@version]>',
      'the component as its SBOM declares it, or its id',
    )
    .option('--cve <id>', 'the vulnerability; without it only how the component is identified')
    .action(why)
}

async function why(version: string | undefined, options: WhyOptions): Promise<void> {
  const session = await openSession(options)
  const firmwareVersionId = await findVersionId(session, version, options)
  const { component, cve: cveId } = options
  const answers = await readJudgements(session, { firmwareVersionId, component, cveId })
  if (options.json) printJson({ components: answers }, answers)
  else
    for (const [index, answer] of answers.entries()) {
      if (index > 0) printLine('')
      printAnswer(answer)
    }
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

function printAnswer({ component, identity, vulnerabilities }: ComponentJudgements): void {
  printLine(sanitise(`${formatDeclaredName(component)} of ${component.sbom.fileName}`))
  for (const vulnerability of vulnerabilities) printVulnerability(vulnerability)
  printLine('\nHow it is identified:')
  for (const { rule, text } of identity.steps) printLine(sanitise(`  ${rule}: ${text}`))
  const known = identity.names.filter(({ isKnown }) => isKnown).map(({ key }) => key)
  if (identity.names.length > 0)
    printLine(
      sanitise(
        known.length > 0
          ? `  Records in the store have ${[...new Set(known)].join(', ')}.`
          : '  No source knows any of its names.',
      ),
    )
  for (const text of identity.advice) printLine(sanitise(`  ${text}`))
}

function printVulnerability(vulnerability: Vulnerability): void {
  const { cveId, isDisputed, conclusion, text, findingId, records } = vulnerability
  const disputed = isDisputed ? ' It is disputed.' : ''
  printLine(sanitise(`${cveId}: ${conclusion}. ${text}${disputed}`))
  if (findingId !== null) printLine(`Finding: ${findingId}`)
  const lines = records.flatMap(listLines)
  if (lines.length === 0) return
  printLine('')
  writeTable(getTerminal().stdout, LINES, lines)
}

const MOST_NAMES = 3

function listLines({
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
  return comparisons.map(({ key, version, comparator, confidence, notes, ...one }) => ({
    ...record,
    verdict: one.verdict,
    name: key,
    version,
    range: one.rangeInWords,
    order: comparator,
    confidence,
    why: [...(one.outrankedBy === null ? [] : [`outranked by ${one.outrankedBy}`]), ...notes].join(
      '; ',
    ),
  }))
}
