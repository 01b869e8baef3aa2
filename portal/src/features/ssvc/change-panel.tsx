/** What the changes of the page would change, counted before they hold. */
import { useDebouncedValue } from '@mantine/hooks'
import type { SsvcPreview, SsvcSettings } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../components/button.tsx'
import { FormActs, FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { describeFailure } from '../../components/states.tsx'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import { previewQuery } from './queries.ts'
import css from './ssvc.module.css'
import { countOutcomes, isSame, type Outcomes, type StatedInputs } from './stated.ts'
import type { Apply } from './use-apply.ts'

const PAUSE_MS = 300

interface ChangePanelProps {
  settings: SsvcSettings
  stated: StatedInputs
  /** Of the tree that would hold. */
  outcomes: readonly string[]
  isChanged: boolean
  mayWrite: boolean
  apply: Apply
  onDiscard: () => void
}

export function ChangePanel(props: ChangePanelProps) {
  const { settings, stated, outcomes, isChanged, mayWrite, apply, onDiscard } = props
  const workspaceId = useWorkspaceId()
  const [asked] = useDebouncedValue(stated, PAUSE_MS)
  const { data, error, isFetching } = useQuery(previewQuery(workspaceId, asked))
  const isCounted = !isFetching && isSame(asked, stated)
  return (
    <div className={css['changes']}>
      <Panel title={isChanged ? 'What would change' : 'How urgent findings are'}>
        {error && <p role="alert">{describeFailure(error)}</p>}
        {data && (
          <Counts
            preview={data}
            outcomes={{ now: settings.outcomes, next: outcomes }}
            isChanged={isChanged}
            isCounted={isCounted}
          />
        )}
        {!data && !error && <p role="status">Counting…</p>}
        <FormFault error={apply.error} />
        {isChanged && (
          <Acts
            mayWrite={mayWrite}
            isReady={isCounted && error === null}
            isBusy={apply.isPending}
            onDiscard={onDiscard}
          />
        )}
      </Panel>
    </div>
  )
}

interface ActsProps {
  mayWrite: boolean
  isReady: boolean
  isBusy: boolean
  onDiscard: () => void
}

function Acts({ mayWrite, isReady, isBusy, onDiscard }: ActsProps) {
  return (
    <>
      <FormActs>
        <Button onClick={onDiscard}>Discard</Button>
        <Button type="submit" kind="primary" disabled={!mayWrite || !isReady} isBusy={isBusy}>
          Let it hold
        </Button>
      </FormActs>
      {!mayWrite && (
        <p className={css['note']}>
          You can try this out. To let it hold takes somebody who may change settings.
        </p>
      )}
    </>
  )
}

interface CountsProps {
  preview: SsvcPreview
  outcomes: Outcomes
  isChanged: boolean
  isCounted: boolean
}

function Counts({ preview, outcomes, isChanged, isCounted }: CountsProps) {
  const { findingCount, changedCount } = preview
  if (findingCount === 0)
    return (
      <p role="status">
        There are no findings yet, so nothing would change now. What you state holds for those to
        come.
      </p>
    )
  return (
    <>
      <p role="status">
        {!isCounted && 'Counting…'}
        {isCounted && !isChanged && `${formatCountOf(findingCount, 'finding')}, decided or not.`}
        {isCounted &&
          isChanged &&
          `${formatCount(changedCount)} of ${formatCountOf(findingCount, 'finding')} would be of another urgency.`}
      </p>
      <table className={css['counts']} aria-busy={!isCounted}>
        <thead>
          <tr>
            <th scope="col">Outcome</th>
            <th scope="col">Now</th>
            {isChanged && <th scope="col">Then</th>}
          </tr>
        </thead>
        <tbody>
          {countOutcomes(preview, outcomes).map(({ outcome, before, after }) => (
            <tr key={outcome}>
              <th scope="row">{outcome}</th>
              <td>{formatCount(before)}</td>
              {isChanged && (
                <td>
                  {formatCount(after)}
                  <Difference of={after - before} />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
      {isChanged && isCounted && changedCount > 0 && <Moves preview={preview} />}
    </>
  )
}

function Difference({ of }: { of: number }) {
  if (of === 0) return null
  return (
    <span className={css['note']}>
      {' '}
      {of > 0 ? '+' : '−'}
      {formatCount(Math.abs(of))}
    </span>
  )
}

function Moves({ preview: { changes } }: { preview: SsvcPreview }) {
  return (
    <ul className={css['moves']}>
      {changes
        .filter(({ from, to }) => from !== to)
        .map(({ from, to, count }) => (
          <li key={`${from} ${to}`}>
            {from} → {to}: <strong>{formatCount(count)}</strong>
          </li>
        ))}
    </ul>
  )
}
