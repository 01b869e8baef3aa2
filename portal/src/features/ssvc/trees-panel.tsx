/** The trees that can be chosen, the newest last: they stay, as decisions of the past refer to them. */
import type { BodyOf, SsvcTree } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { type CardColumn, CardTable } from '../../components/card-table.tsx'
import { type ListFile, saveFile } from '../../components/download-csv.ts'
import { FileDrop } from '../../components/file-drop.tsx'
import { ListPanel } from '../../components/list-panel.tsx'
import { describeFailure } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { useWorkspaceId } from '../../session.ts'
import { treesQuery } from './queries.ts'
import css from './ssvc.module.css'
import { readTables } from './stated.ts'

interface TreesPanelProps {
  /** The one that decides now. */
  holding: string
  chosen: string
  mayAdd: boolean
  onChoose: (tree: string) => void
}

export function TreesPanel({ holding, chosen, mayAdd, onChoose }: TreesPanelProps) {
  const query = useQuery(treesQuery(useWorkspaceId()))
  const columns: CardColumn<SsvcTree>[] = [
    {
      title: 'Tree',
      isPlain: true,
      cell: ({ id, name, version }) => (
        <label className={css['tree']}>
          <input
            type="radio"
            name="ssvc-tree"
            value={id}
            checked={id === chosen}
            onChange={() => onChoose(id)}
          />
          <span>
            <strong>{name}</strong> <code>{version}</code>{' '}
            {id === holding && <Tag tone="ok">decides now</Tag>}
          </span>
        </label>
      ),
    },
    { title: 'Outcomes', cell: ({ outcomes }) => outcomes.join(', ') },
    { title: 'Asks for', cell: ({ asks }) => asks.join(', ') },
    { title: 'Added', cell: (tree) => <Added tree={tree} /> },
    { title: 'Acts', isActs: true, cell: (tree) => <Download tree={tree} /> },
  ]
  return (
    <ListPanel
      id="trees"
      query={query}
      rows={query.data?.trees}
      loadingRows={2}
      title="Trees"
      note="they never change; a changed one is a further one"
      foot={mayAdd && <AddTree onAdded={onChoose} />}
    >
      {(rows) => (
        <CardTable
          label="Trees"
          list="ssvc-trees"
          csv={FILE}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
        />
      )}
    </ListPanel>
  )
}

const FILE: ListFile<SsvcTree> = {
  name: 'ssvc-trees',
  columns: [
    'id',
    'name',
    'version',
    ['outcomes', ({ outcomes }) => outcomes.join(', ')],
    ['asks', ({ asks }) => asks.join(', ')],
    'addedAt',
    'addedBy',
  ],
}

function Added({ tree: { addedAt, addedBy } }: { tree: SsvcTree }) {
  if (addedAt === null) return 'built in'
  return (
    <>
      <Time at={addedAt} as="date" /> by {addedBy ?? 'a key'}
    </>
  )
}

/** The tables as a file, to begin one's own with. */
function Download({ tree: { id, name } }: { tree: SsvcTree }) {
  const workspaceId = useWorkspaceId()
  const download = useMutation({
    mutationFn: async () => {
      const { tables } = await api.get('/workspaces/{workspaceId}/ssvc/trees/{ssvcTreeId}', {
        params: { workspaceId, ssvcTreeId: id },
      })
      const content = new Blob([JSON.stringify(tables, null, 2)], { type: 'application/json' })
      saveFile(content, `ssvc-${id}.json`)
    },
  })
  return (
    <>
      <Button
        size="small"
        isBusy={download.isPending}
        aria-label={`Download the tables of ${name}`}
        onClick={() => download.mutate()}
      >
        Download
      </Button>
      {download.error && (
        <p className={css['fault']} role="alert">
          {describeFailure(download.error)}
        </p>
      )}
    </>
  )
}

type Tables = BodyOf<'addSsvcTree'>['tables']

function AddTree({ onAdded }: { onAdded: (tree: string) => void }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const add = useMutation({
    mutationFn: async (file: File) => {
      const tables = readTables(await readJson(file)) as Tables
      return api.post('/workspaces/{workspaceId}/ssvc/trees', {
        params: { workspaceId },
        body: { tables },
      })
    },
    onSuccess: async ({ id }) => {
      await queryClient.invalidateQueries({ queryKey: ['ssvc', workspaceId, 'trees'] })
      onAdded(id)
    },
  })
  return (
    <div className={css['foot']}>
      <FileDrop label="Add a tree" css={css} onFile={(file) => add.mutate(file)}>
        <span>
          <strong>{add.isPending ? 'Reading…' : 'Add a tree of your own'}</strong>: drop decision
          tables as CERT/CC publishes them (JSON), or choose a file. It decides nothing until you
          choose it and make it hold.
        </span>
      </FileDrop>
      {add.error && (
        <p className={css['fault']} role="alert">
          Not added. {describeFailure(add.error)}
        </p>
      )}
      {add.isSuccess && (
        <p role="status">
          Added {add.data.name}, and chosen here. What it would change is counted before it holds.
        </p>
      )}
    </div>
  )
}

async function readJson(file: File): Promise<string> {
  const text = await file.text()
  try {
    JSON.parse(text)
    return text
  } catch {
    throw new Error(`${file.name} is not JSON.`)
  }
}
