import type { Coverage } from '../../../api-client/src/index.ts'
import type { Command } from 'commander'
import {
  notJudgedText,
  notMatchedYetText,
  readCoverage,
  undecidedText,
  unknownText,
} from '../coverage.ts'
import { FINDING_COLUMNS } from '../findings-table.ts'
import {
  ASSESSMENTS,
  countedFindings,
  type FindingFilter,
  type FindingsQuery,
  SEVERITIES,
  SORT_COLUMNS,
  switchedOffTexts,
} from '../findings.ts'
import { getFirmwareVersionId, namingVersion, type VersionName } from '../firmware-version.ts'
import { limitOf, listing, type ListOptions as Listed, printListing } from '../listing.ts'
import { asComponent, listOf, oneOf, repeated } from '../option-values.ts'
import { note } from '../print.ts'
import { printable } from '../printable.ts'
import { openSession } from '../session.ts'
import { noteSourceFileHints } from '../source-file-hints.ts'
import { oldSources, readSources } from '../verdict.ts'
import { addFindingsCheck } from './findings-check.ts'
import { addFindingsShow } from './findings-show.ts'
import { addFindingsTriage } from './findings-triage.ts'
import { addFindingsExport } from './findings-export.ts'
import { addFindingsWhy } from './findings-why.ts'

type Defined<Optional> = Exclude<Optional, undefined>

interface ListOptions extends Listed, VersionName {
  severity?: Defined<FindingFilter['severities']>
  assessment?: Defined<FindingFilter['assessments']>
  kev?: boolean
  exploited?: boolean
  fuzzing?: boolean
  disputed?: boolean
  ignored?: boolean
  name?: string[]
  component?: string[]
  cve?: string[]
  sort: Defined<FindingsQuery['sortColumn']>
  ascending?: boolean
}

export function addFindingsCommands(program: Command): void {
  const findings = program.command('findings').description('Vulnerabilities in a firmware version')

  listing(namingVersion(findings.command('list')))
    .description('List the vulnerability findings of a firmware version')
    .option(
      '--severity <list>',
      `of these severities: ${SEVERITIES.join(', ')}`,
      listOf(SEVERITIES),
    )
    .option('--kev', 'only those in the catalogue of known exploits (CISA)')
    .option('--no-kev', 'only those not in that catalogue')
    .option('--exploited', 'only those that any list names as exploited (CISA or ENISA)')
    .option('--no-exploited', 'only those that no list names')
    .option('--fuzzing', 'only crashes that OSS-Fuzz found, without CVE')
    .option('--no-fuzzing', 'only others')
    .option('--disputed', 'only disputed ones')
    .option('--no-disputed', 'only those that nobody disputes')
    .option('--assessment <list>', `assessed as: ${ASSESSMENTS.join(', ')}`, listOf(ASSESSMENTS))
    .option('--ignored', 'only ignored ones')
    .option('--no-ignored', 'only those not ignored')
    .option('--name <text>', 'whose name, CVE id or alias contains it; may be repeated', repeated)
    .option('--cve <id>', 'of this vulnerability, by its id or an alias; may be repeated', repeated)
    .option('--component <name[@version]>', 'in this component; may be repeated', repeated)
    .option('--sort <column>', `by: ${SORT_COLUMNS.join(', ')}`, oneOf(SORT_COLUMNS), 'Risk')
    .option('--ascending', 'sort in ascending order')
    .action(list)

  addFindingsShow(findings)
  addFindingsCheck(findings)
  addFindingsWhy(findings)
  addFindingsTriage(findings)
  addFindingsExport(findings)
}

async function list(options: ListOptions): Promise<void> {
  const session = await openSession(options)
  const firmwareVersionId = await getFirmwareVersionId(session, options)
  const { sort: sortColumn, ascending = false } = options
  const query = { sortColumn, ascending, filter: filterOf(options) }
  const counted = await countedFindings(session, firmwareVersionId, query, limitOf(options))
  const { totalCount, totalCountIsLowerBound: isLowerBound } = counted
  const coverage = await readCoverage(session, firmwareVersionId)
  printListing(options, {
    rows: counted.findings,
    columns: FINDING_COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'finding',
    total: { count: totalCount, isLowerBound },
    answer: (findings) => ({ ...counted, findings, coverage }),
  })
  if (options.json || options.quiet) return
  await noteSourceFileHints(session, firmwareVersionId, totalCount)
  const old = oldSources(await readSources(session), new Date())
  const off = switchedOffTexts(counted.switchedOffCount)
  for (const text of [...off, ...gapsOf(coverage), ...old]) note(printable(text))
}

/** What a list of findings cannot show. */
function gapsOf(coverage: Coverage): string[] {
  if (coverage.sbomCount === 0) return ['The firmware version has no SBOM: nothing is known of it.']
  const texts = [
    notMatchedYetText(coverage),
    notJudgedText(coverage),
    unknownText(coverage),
    undecidedText(coverage),
  ]
  return texts.filter((text) => text !== undefined)
}

function filterOf(options: ListOptions) {
  const { severity, assessment, kev, exploited, fuzzing, disputed } = options
  const { ignored, name, component, cve } = options
  return {
    ...(severity && { severities: severity }),
    ...(assessment && { assessments: assessment }),
    ...(kev !== undefined && { knownCisaExploit: kev }),
    ...(exploited !== undefined && { exploited }),
    ...(fuzzing !== undefined && { fuzzing }),
    ...(disputed !== undefined && { disputed }),
    ...(ignored !== undefined && { ignored }),
    ...(name && { name: name.map((contains) => ({ contains })) }),
    ...(cve && { cveIds: cve }),
    ...(component && { components: component.map(asComponent) }),
  } satisfies FindingFilter
}
