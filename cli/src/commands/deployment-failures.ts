/** Why devices failed, and what sets them apart from those that have the versions. */
import type { Command } from 'commander'
import {
  type DeploymentFailures,
  describeTrait,
  type FailureTrait,
  TRAIT_KIND_NAMES,
} from '../../../api-client/src/index.ts'
import { notePage } from '../portal-page.ts'
import { formatCount, printJson, printLine } from '../print.ts'
import { sanitise } from '../printable.ts'
import { type CohortOptions, DEPLOYMENT, openDeployment } from '../roll-out.ts'
import { type Column, writeTable } from '../table.ts'
import { getTerminal } from '../terminal.ts'

/** `failures` has the names of the deployment and the connection already. */
export function addDeploymentFailures(failures: Command): void {
  failures.description('Say why devices failed, and what they have in common').action(showFailures)
}

type Group = DeploymentFailures['groups'][number]

const COLUMNS: readonly Column<Group>[] = [
  { title: 'DEVICES', value: ({ count }) => count },
  { title: 'CHANGED SINCE', value: ({ changedCount }) => changedCount },
  { title: 'ATTEMPTS', value: ({ attempts }) => attempts },
  { title: 'REASON', value: ({ reason }) => (reason === '' ? 'none was given' : reason) },
]

async function showFailures(text: string | undefined, options: CohortOptions): Promise<void> {
  const { session, client, params } = await openDeployment(text, options)
  const failures = await client.get(`${DEPLOYMENT}/failures`, { params })
  if (options.json) {
    printJson(failures)
    return
  }
  if (failures.failedCount === 0) printLine('No device failed.')
  else {
    writeTable(getTerminal().stdout, COLUMNS, failures.groups)
    for (const line of describeTraits(failures)) printLine(sanitise(line))
  }
  await notePage(session, 'deployment', params)
}

function describeTraits(failures: DeploymentFailures): string[] {
  const { comparedFailedCount, comparedOtherCount, comparedKinds, groups } = failures
  const told = groups.flatMap(({ reason, traits }) =>
    traits.map((trait) => `${reason}: ${describeTrait(trait)}, ${describeShares(trait)}`),
  )
  const base = `Compared: ${formatCount(comparedFailedCount, 'failed device')} with ${comparedOtherCount} that took the versions.`
  if (told.length > 0) return ['', ...told, base]
  const kinds = comparedKinds.map((kind) => TRAIT_KIND_NAMES[kind]).join(', ')
  return ['', `Nothing that sets them apart was found among ${kinds}.`, base]
}

const describeShares = ({ failedCount, failedOf, otherCount, otherOf }: FailureTrait) =>
  `${failedCount} of ${failedOf} failed against ${otherCount} of ${otherOf} others`
