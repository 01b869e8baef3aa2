/** Trees of SSVC that a workspace can choose from. */
import type { Command } from 'commander'
import type { BodyOf, SsvcTrees } from '../../../api-client/src/index.ts'
import { printDone } from '../done.ts'
import { formatTime } from '../instant.ts'
import { readJsonObject } from '../json-file.ts'
import { type ListOptions, printListing, withListOptions } from '../listing.ts'
import { type ConnectionOptions, openSession, withConnection } from '../session.ts'
import type { Column } from '../table.ts'

const PATH = '/workspaces/{workspaceId}/ssvc/trees'

type Tree = SsvcTrees['trees'][number]
type Table = BodyOf<'addSsvcTree'>['tables'][number]

export function addSsvcTreeCommands(ssvc: Command): void {
  withListOptions(ssvc.command('trees'))
    .description('List the trees that the workspace can choose from')
    .action(list)
  withConnection(ssvc.command('add-tree'))
    .description('Add a tree of your own; it does not hold until ssvc update --tree chooses it')
    .argument(
      '<files...>',
      'decision tables as CERT/CC publishes them: the first decides, the others decide points it asks for',
    )
    .action(add)
}

const COLUMNS: readonly Column<Tree>[] = [
  { title: 'ID', value: ({ id }) => id, isWhole: true },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'OUTCOMES', value: ({ outcomes }) => outcomes.join(', ') },
  { title: 'ASKS FOR', value: ({ asks }) => asks.join(', ') },
  {
    title: 'ADDED',
    value: ({ addedAt }) => (addedAt === null ? 'by Plimsoll' : formatTime(addedAt)),
    isSpare: true,
  },
]

async function list(options: ListOptions): Promise<void> {
  const { client, workspaceId } = await openSession(options)
  const { trees } = await client.get(PATH, { params: { workspaceId } })
  printListing(options, {
    rows: trees,
    columns: COLUMNS,
    nameOf: ({ id }) => id,
    noun: 'tree',
    answer: (some) => ({ trees: some }),
  })
}

async function add(files: string[], options: ConnectionOptions): Promise<void> {
  const tables: Table[] = []
  // The service says what is wrong with a table.
  for (const file of files) tables.push((await readJsonObject(file)) as Table)
  const { client, workspaceId } = await openSession(options)
  const tree = await client.post(PATH, { params: { workspaceId }, body: { tables } })
  printDone(options, {
    answer: tree,
    id: tree.id,
    text: `Added ${tree.name} as ${tree.id}. Try it: plimsoll ssvc update --tree ${tree.id} --dry-run`,
  })
}
