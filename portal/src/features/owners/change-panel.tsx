/** What other teams and rules would change, counted before they hold. */
import { useDebouncedValue } from '@mantine/hooks'
import type { OwnersPreview } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Button } from '../../components/button.tsx'
import { FormActs, FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { describeFailure } from '../../components/states.tsx'
import { formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { describeDifference, type Drafts, isSame, writeDrafts } from './drafts.ts'
import css from './owners.module.css'
import { ownersPreviewQuery } from './queries.ts'
import type { Save } from './use-save.ts'

const PAUSE_MS = 300

/** Asked for while something is changed. */
export function useOwnersPreview(drafts: Drafts, isChanged: boolean) {
  const [asked] = useDebouncedValue(drafts, PAUSE_MS)
  const body = useMemo(() => writeDrafts(asked), [asked])
  const workspaceId = useWorkspaceId()
  const { data, error, isFetching } = useQuery({
    ...ownersPreviewQuery(workspaceId, body),
    enabled: isChanged,
  })
  return { data, error, isCounted: isChanged && !isFetching && isSame(asked, drafts) }
}

interface ChangePanelProps {
  before: Drafts
  drafts: Drafts
  isChanged: boolean
  mayWrite: boolean
  preview: ReturnType<typeof useOwnersPreview>
  save: Save
  onDiscard: () => void
}

export function ChangePanel(props: ChangePanelProps) {
  const { before, drafts, isChanged, mayWrite, preview, save, onDiscard } = props
  const { error, isCounted } = preview
  return (
    <div className={css['changes']}>
      <Panel title="What would change">
        {!isChanged && <Nothing mayWrite={mayWrite} />}
        {isChanged && (
          <>
            <p>{describeDifference(before, drafts)}</p>
            <Counts {...preview} />
            <FormFault error={save.error} />
            <FormActs>
              <Button onClick={onDiscard}>Discard</Button>
              <Button
                type="submit"
                kind="primary"
                disabled={!mayWrite || !isCounted || error !== null}
                isBusy={save.isPending}
              >
                Let it hold
              </Button>
            </FormActs>
          </>
        )}
      </Panel>
    </div>
  )
}

function Counts({ data, error, isCounted }: ChangePanelProps['preview']) {
  if (error !== null) return <p role="alert">{describeFailure(error)}</p>
  return (
    <>
      <p role="status">{isCounted && data ? describeMoves(data) : 'Counting…'}</p>
      {data && <Moves preview={data} isCounted={isCounted} />}
    </>
  )
}

function Nothing({ mayWrite }: { mayWrite: boolean }) {
  if (mayWrite)
    return (
      <p>
        Add, change, move or remove rules and teams: what each owner would have is counted here
        before it holds.
      </p>
    )
  return <p>Owners and admins of the workspace state teams and rules.</p>
}

const listMoved = ({ owners }: OwnersPreview) => owners.filter(({ now, after }) => now !== after)

function describeMoves(preview: OwnersPreview): string {
  const count = listMoved(preview).length
  if (count === 0) return 'No active finding changes its owner.'
  return 'Active findings then:'
}

function Moves({ preview, isCounted }: { preview: OwnersPreview; isCounted: boolean }) {
  const moved = listMoved(preview)
  if (moved.length === 0) return null
  return (
    <table className={css['counts']} aria-busy={!isCounted} aria-label="What would change">
      <thead>
        <tr>
          <th scope="col">Owner</th>
          <th scope="col">Now</th>
          <th scope="col">Then</th>
        </tr>
      </thead>
      <tbody>
        {moved.map(({ owner, now, after }) => (
          <tr key={owner?.id ?? ''}>
            <th scope="row">{owner?.name ?? 'nobody'}</th>
            <td>{formatCount(now)}</td>
            <td>{formatCount(after)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
