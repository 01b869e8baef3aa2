import { ASSESSMENT, SEVERITY, type Coverage } from '../../../api-client/src/index.ts'
import type { Command } from 'commander'
import {
  describeNotJudged,
  describeNotMatchedYet,
  readCoverage,
  describeUndecided,
  describeUnknown,
} from '../coverage.ts'
import { FINDING_COLUMNS } from '../findings-table.ts'
import {
  readFindings,
  type FindingFilter,
  type FindingsQuery,
  SORT_COLUMNS,
  describeSwitchedOff,
} from '../findings.ts'
import { findVersionId, withVersion, type VersionOptions } from '../firmware-version.ts'
import { readLimit, withListOptions, type ListOptions as Listed, printListing } from '../listing.ts'
import { asComponent, readListOf, readNames, readOneOf, collect } from '../option-values.ts'
import { type GroupedOptions, printOutcomes, withGrouping } from '../outcomes.ts'
import { note } from '../print.ts'
import { sanitise } from '../printable.ts'
import { openSession } from '../session.ts'
import { noteSourceFileHints } from '../source-file-hints.ts'
import { listOldSources, readSources } from '../verdict.ts'
import { readOwner } from './owner.ts'
import { addFindingsCheck } from './findings-check.ts'
import { addFindingsShow } from './findings-show.ts'
import { addFindingsTriage } from './findings-triage.ts'
import { addFindingsExport } from './findings-export.ts'
import { addFindingsWhy } from './findings-why.ts'

type Present<Optional> = Exclude<Optional, undefined>

interface ListOptions extends Listed, VersionOptions, GroupedOptions {
  severity?: Present<FindingFilter['severities']>
  assessment?: Present<FindingFilter['assessments']>
  kev?: boolean
  exploited?: boolean
  fuzzing?: boolean
  disputed?: boolean
  ignored?: boolean
  ssvc?: string[]
  name?: string[]
  component?: string[]
  cve?: string[]
  owner?: string
  sort: Present<FindingsQuery['sortColumn']>
  ascending?: boolean
}

export function addFindingsCommands(program: Command): void {
  const findings = program.command('findings').description('Vulnerabilities in a firmware version')

  withGrouping(withListOptions(withVersion(findings.command('list'))))
    .description('List the vulnerability findings of a firmware version')
    .option(
      '--severity <list>',
      `of these severities: ${SEVERITY.join(', ')}`,
      readListOf(SEVERITY),
    )
    .option('--kev', 'only those in the catalogue of known exploits (CISA)')
    .option('--no-kev', 'only those not in that catalogue')
    .option('--exploited', 'only those that any list names as exploited (CISA or ENISA)')
    .option('--no-exploited', 'only those that no list names')
    .option('--fuzzing', 'only crashes that OSS-Fuzz found, without CVE')
    .option('--no-fuzzing', 'only others')
    .option('--disputed', 'only disputed ones')
    .option('--no-disputed', 'only those that nobody disputes')
    .option('--assessment <list>', `assessed as: ${ASSESSMENT.join(', ')}`, readListOf(ASSESSMENT))
    .option('--ssvc <list>', 'of these outcomes of SSVC: track, track*, attend, act', readNames)
    .option('--ignored', 'only ignored ones')
    .option('--no-ignored', 'only those not ignored')
    .option('--name <text>', 'whose name, CVE id or alias contains it; may be repeated', collect)
    .option('--cve <id>', 'of this vulnerability, by its id or an alias; may be repeated', collect)
    .option('--component <name[@version]>', 'in this component; may be repeated', collect)
    .option('--owner <owner>', 'of this member or team, of me, or of none')
    .option('--sort <column>', `by: ${SORT_COLUMNS.join(', ')}`, readOneOf(SORT_COLUMNS), 'Risk')
    .option('--ascending', 'sort in ascending order')
    .action(listFindings)

  addFindingsShow(findings)
  addFindingsCheck(findings)
  addFindingsWhy(findings)
  addFindingsTriage(findings)
  addFindingsExport(findings)
}

async function listFindings(version: string | undefined, options: ListOptions): Promise<void> {
  const session = await openSession(options)
  const firmwareVersionId = await findVersionId(session, version, options)
  const { sort: sortColumn, ascending = false } = options
  const owner = options.owner === undefined ? undefined : await readOwner(session, options.owner)
  const filter = { ...readFilter(options), ...(owner !== undefined && { owners: [owner] }) }
  if (options.by === 'outcome')
    return printOutcomes(session, options, { ...filter, firmwareVersionIds: [firmwareVersionId] })
  const query = { sortColumn, ascending, filter }
  const counted = await readFindings(session, firmwareVersionId, query, readLimit(options))
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
  const old = listOldSources(await readSources(session), new Date())
  const off = describeSwitchedOff(counted.switchedOffCount)
  for (const text of [...off, ...listGaps(coverage), ...old]) note(sanitise(text))
}

/** What a list of findings cannot show. */
function listGaps(coverage: Coverage): string[] {
  if (coverage.sbomCount === 0) return ['The firmware version has no SBOM: nothing is known of it.']
  const texts = [
    describeNotMatchedYet(coverage),
    describeNotJudged(coverage),
    describeUnknown(coverage),
    describeUndecided(coverage),
  ]
  return texts.filter((text) => text !== undefined)
}

function readFilter(options: ListOptions) {
  const { severity, assessment, kev, exploited, fuzzing, disputed } = options
  const { ignored, name, component, cve, ssvc } = options
  return {
    ...(severity && { severities: severity }),
    ...(assessment && { assessments: assessment }),
    ...(kev !== undefined && { knownCisaExploit: kev }),
    ...(exploited !== undefined && { exploited }),
    ...(fuzzing !== undefined && { fuzzing }),
    ...(disputed !== undefined && { disputed }),
    ...(ignored !== undefined && { ignored }),
    ...(ssvc && { ssvcOutcomes: ssvc }),
    ...(name && { name: name.map((contains) => ({ contains })) }),
    ...(cve && { cveIds: cve }),
    ...(component && { components: component.map(asComponent) }),
  } satisfies FindingFilter
}
