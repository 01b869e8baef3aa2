import type { Command } from 'commander'
import type { WhatIf } from '../../../api-client/src/index.ts'
import { usageError } from '../failure.ts'
import { findStatedVersionId } from '../firmware-version.ts'
import { findIdByName, listCohorts } from '../named.ts'
import { collect } from '../option-values.ts'
import { printJson, printLine, formatCount } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type ConnectionOptions, withConnection, openSession, type Session } from '../session.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'

interface Options extends ConnectionOptions {
  run: string[]
}

export function addExposureCommands(program: Command): void {
  const exposure = program
    .command('exposure')
    .description('Devices by the worst finding of what they run')
  withConnection(exposure.command('what-if'))
    .description('Tell the exposure if cohorts ran other versions; deploys nothing')
    .requiredOption(
      '--run <cohort=version>',
      'a cohort (id or name) and a version (id or slug@name); may be given several times',
      collect,
    )
    .action(show)
}

async function show(options: Options): Promise<void> {
  const session = await openSession(options)
  const { client, workspaceId } = session
  const changes = await readChanges(session, options.run)
  const answer = await client.post('/workspaces/{workspaceId}/exposure/what-if', {
    params: { workspaceId },
    body: { changes },
  })
  if (options.json === true) printJson(answer)
  else print(answer)
}

async function readChanges(session: Session, runs: readonly string[]) {
  const deploymentCohorts = await listCohorts(session)
  const byCohort = new Map<string, string[]>()
  for (const run of runs) {
    // The name of a cohort may have a "=", an id or a slug with its name has none before its "@".
    const [, cohort, version] = /^(.+)=([^=]+(?:@.+)?)$/.exec(run) ?? []
    if (cohort === undefined || version === undefined)
      throw usageError(
        `${JSON.stringify(run)} is not cohort=version, such as pilots=gateway@2.4.1.`,
      )
    const id = await findIdByName(cohort, 'cohort', () => Promise.resolve(deploymentCohorts))
    const versionId = await findStatedVersionId(session, version)
    byCohort.set(id, [...(byCohort.get(id) ?? []), versionId])
  }
  return [...byCohort].map(([deploymentCohortId, firmwareVersionIds]) => ({
    deploymentCohortId,
    firmwareVersionIds,
  }))
}

interface Row {
  worst: string
  now: number
  later: number
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'WORST FINDING', value: ({ worst }) => worst },
  { title: 'DEVICES NOW', value: ({ now }) => now },
  { title: 'THEN', value: ({ later }) => later },
]

const WORDS: Record<string, string> = { NotJudged: 'not judged', Clean: 'no active finding' }

function print({ before, after, net, changes }: WhatIf): void {
  const rows = before.byWorst.map(({ worst, devices }) => ({
    worst: WORDS[worst] ?? worst,
    now: devices,
    later: after.byWorst.find((one) => one.worst === worst)?.devices ?? 0,
  }))
  writeTable(
    getTerminal().stdout,
    COLUMNS,
    [...rows, { worst: 'known exploited', now: before.exploited, later: after.exploited }].filter(
      ({ now, later }) => now + later > 0,
    ),
  )
  printLine(
    `${formatCount(net.removed.count, 'vulnerability goes', 'vulnerabilities go')}, ${formatCount(net.introduced.count, 'comes', 'come')}.`,
  )
  for (const { deploymentCohort, artifacts } of changes)
    for (const { firmware, notReportingCount } of artifacts)
      if (notReportingCount > 0)
        printLine(
          sanitise(
            `${formatCount(notReportingCount, 'device')} of ${deploymentCohort.name} ${notReportingCount === 1 ? 'reports' : 'report'} no ${firmware.slug}; counted as it is now.`,
          ),
        )
}
