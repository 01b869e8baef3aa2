/** Findings grouped by the outcome of SSVC: how many have each, in place of the list. */
import { type Command, Option } from 'commander'
import type { BodyOf, FindingCounts } from '../../api-client/src/index.ts'
import { type ListOptions, printListing } from './listing.ts'
import type { Session } from './session.ts'
import type { Column } from './table.ts'

type Filter = NonNullable<BodyOf<'countWorkspaceVulnerabilityFindings'>['filter']>
type Outcome = NonNullable<FindingCounts['bySsvcOutcome']>[number]

export interface GroupedOptions {
  by?: 'outcome'
}

export const withGrouping = (command: Command): Command =>
  command.addOption(
    new Option(
      '--by <what>',
      'count the findings of each outcome of SSVC, in place of the list',
    ).choices(['outcome']),
  )

const COLUMNS: readonly Column<Outcome>[] = [
  { title: 'OUTCOME', value: ({ outcome }) => outcome },
  {
    title: 'FINDINGS',
    value: ({ totalCount, totalCountIsLowerBound }) =>
      totalCountIsLowerBound ? `more than ${totalCount}` : totalCount,
  },
]

/** A finding of several versions counts once, as in the list of the workspace. */
export async function printOutcomes(
  { client, workspaceId }: Session,
  options: ListOptions,
  filter: Filter,
): Promise<void> {
  const { bySsvcOutcome } = await client.post(
    '/workspaces/{workspaceId}/vulnerability-findings/counts',
    { params: { workspaceId }, body: { filter, groupBy: 'Finding', chips: ['bySsvcOutcome'] } },
  )
  printListing(options, {
    rows: bySsvcOutcome ?? [],
    columns: COLUMNS,
    nameOf: ({ outcome }) => outcome,
    noun: 'outcome',
    answer: (outcomes) => ({ outcomes }),
  })
}
