import type { Command } from 'commander'
import { usageError } from '../failure.ts'
import { findVersionId, withVersion, type VersionOptions } from '../firmware-version.ts'
import { collect } from '../option-values.ts'
import { formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, withConnection, openSession } from '../session.ts'
import { addFindingsDecide } from './findings-decide.ts'
import { type FindingOptions, findFindingId, withFinding } from './findings-show.ts'
import { readTerms, type TermOptions, withTerms } from './findings-terms.ts'
import { addFindingsUndo } from './findings-undo.ts'

type NamedOptions = ConnectionOptions & FindingOptions

export function addFindingsTriage(findings: Command): void {
  addFindingsDecide(findings)

  withConnection(withFinding(findings.command('accept')))
    .description('Decide as a VEX statement says that disagrees with what was decided')
    .option('--statement <id>', 'which one (default: the newest that disagrees)')
    .action(accept)

  addFindingsRepeat(findings)
  addFindingsUndo(findings)
}

async function accept(
  named: string,
  version: string | undefined,
  options: NamedOptions & { statement?: string },
): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const name = { finding: named, version }
  const params = { workspaceId, findingId: await findFindingId(session, name, options) }
  const path = '/workspaces/{workspaceId}/vulnerability-findings/{findingId}'
  const { disagreements } = await client.get(path, { params })
  const statementId = options.statement ?? disagreements[0]?.statementId
  if (statementId === undefined)
    throw usageError('No VEX statement disagrees with what was decided about this finding.')
  const finding = await client.post(`${path}/accept-statement`, { params, body: { statementId } })
  if (options.json) printJson(finding)
  else printLine(sanitise(`${finding.cve.id} in ${finding.component.name}: ${finding.assessment}`))
}

interface RepeatOptions extends ConnectionOptions, VersionOptions, TermOptions {
  ignored?: boolean
  component?: string[]
  dryRun?: boolean
}

function addFindingsRepeat(findings: Command): void {
  withTerms(withConnection(withVersion(findings.command('repeat'))))
    .description(
      'Decide again as before, where a package or the evidence has changed since the decision',
    )
    .option('--ignored', 'only findings that were ignored')
    .option('--component <name>', 'in this component; may be repeated', collect)
    .option('--dry-run', 'show what would change')
    .action(repeat)
}

async function repeat(version: string | undefined, options: RepeatOptions): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const firmwareVersionId = await findVersionId(session, version, options)
  const { ignored, component, dryRun = false } = options
  const filter = {
    recheck: true,
    firmwareVersionIds: [firmwareVersionId],
    ...(ignored === true && { previouslyIgnored: true }),
    ...(component && { components: component.map((packageName) => ({ packageName })) }),
  }
  const path = '/workspaces/{workspaceId}/vulnerability-findings/bulk-repeat'
  const acceptance = await readTerms(session, options)
  const answer = await client.post(path, {
    params: { workspaceId },
    body: { filter, dryRun, ...(acceptance && { acceptance }) },
  })
  if (options.json) printJson(answer)
  else
    printLine(
      `${formatCount(answer.changed, 'finding')} ${dryRun ? 'would be' : answer.changed === 1 ? 'is' : 'are'} decided as before`,
    )
}
