/** Numbers on the curve, and under the chart what each of them says. */
import { Fragment } from 'react'
import { Link } from '@tanstack/react-router'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './exposure-chart.module.css'
import type { ExposureNote } from './exposure-notes.ts'
import { LAYERS } from './exposure-rows.ts'

interface NoteMarksProps {
  notes: readonly ExposureNote[]
  placeOf: (at: Date) => number
  heightOf: (devices: number) => number
}

export function NoteMarks({ notes, placeOf, heightOf }: NoteMarksProps) {
  return (
    <>
      {notes.map((note, index) => (
        <g
          key={note.after.at.getTime()}
          className={css['note']}
          transform={`translate(${placeOf(note.after.at)} ${heightOf(sumUpTo(note))})`}
        >
          <circle r="8" />
          <text dy="4" textAnchor="middle">
            {index + 1}
          </text>
        </g>
      ))}
    </>
  )
}

/** The height of the layer's upper edge, from the axis. */
function sumUpTo({ layer, after }: ExposureNote): number {
  const index = LAYERS.findIndex(({ id }) => id === layer)
  return LAYERS.slice(0, index + 1).reduce((sum, { id }) => sum + (after.counts[id] ?? 0), 0)
}

export function ExposureNotes({ notes }: { notes: readonly ExposureNote[] }) {
  if (notes.length === 0) return null
  return (
    <ol className={css['notes']} aria-label="What changed most">
      {notes.map((note) => (
        <li key={note.after.at.getTime()}>
          <strong>
            {formatCount(Math.abs(note.change))} {note.change < 0 ? 'fewer' : 'more'}{' '}
            {note.layerName}
          </strong>{' '}
          <Cause note={note} />
        </li>
      ))}
    </ol>
  )
}

const DAY = 86_400_000

const MOST_NAMED = 2

/** What was created in that time, else what people did then: a decision changes a count as a release does. */
function Meanwhile({ note: { before, after, releases } }: { note: ExposureNote }) {
  const workspaceId = useWorkspaceId()
  const dayOf = (at: Date) => at.toLocaleDateString('sv')
  if (releases.length === 0)
    return (
      <>
        on {formatDate(after.at)}:{' '}
        <Link
          to="/w/$workspaceId/settings/audit-log"
          params={{ workspaceId }}
          search={{ kind: 'Decision', from: dayOf(before.at), to: dayOf(after.at) }}
        >
          what was decided then
        </Link>
      </>
    )
  const hidden = releases.length - MOST_NAMED
  return (
    <>
      on {formatDate(after.at)}, with{' '}
      {releases.slice(0, MOST_NAMED).map(({ firmwareVersionId, firmwareName, version }, index) => (
        <Fragment key={firmwareVersionId}>
          {index > 0 && ', '}
          <Link
            to="/w/$workspaceId/versions/$versionId"
            params={{ workspaceId, versionId: firmwareVersionId }}
          >
            {firmwareName} {version}
          </Link>
        </Fragment>
      ))}{' '}
      {hidden > 0 && `and ${formatCountOf(hidden, 'other version')} `}new that day
    </>
  )
}

function Cause({ note }: { note: ExposureNote }) {
  const workspaceId = useWorkspaceId()
  const { before, after, rollout } = note
  if (!rollout) return <Meanwhile note={note} />
  const days = Math.max(1, Math.round((after.at.getTime() - before.at.getTime()) / DAY))
  const { deploymentCohortId, deploymentId, firmwareName, firmwareVersionName } = rollout
  return (
    <>
      while{' '}
      <Link
        to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
        params={{ workspaceId, deploymentCohortId, deploymentId }}
      >
        {[firmwareName, firmwareVersionName].filter((part) => part !== null).join(' ')}
      </Link>{' '}
      went to {rollout.cohortName}, in {formatCountOf(days, 'day')}
    </>
  )
}
