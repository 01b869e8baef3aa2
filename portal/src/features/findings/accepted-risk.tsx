/** What limits a decision: its release line, and the terms on which a finding is ignored, or was until they ended. */
import type { FindingDetail } from '@plimsoll/api-client'
import { Link } from '@tanstack/react-router'
import {
  describeAccepted,
  describeCauses,
  describeEnds,
} from '../../components/decision/acceptance-words.ts'
import { formatDate } from '../../format/dates.ts'
import { useWorkspaceId } from '../../session.ts'

export function AcceptedRisk({
  of: { acceptance, ignored, recheckReason },
}: {
  of: Pick<FindingDetail, 'acceptance' | 'ignored' | 'recheckReason'>
}) {
  const workspaceId = useWorkspaceId()
  if (!acceptance) return null
  const { ended, reason, until, conditions } = acceptance
  const said = describeAccepted(acceptance)
  // The mark says by whom, until when, and why it ended.
  const ends = recheckReason === null && ended ? `, as ${describeCauses(ended.causes)}` : ''
  const why = reason === null ? 'No reason was said.' : `Reason: “${reason}”`
  return (
    <p>
      {ended && !ignored
        ? `Was ${said}; open again since ${formatDate(ended.at)}${ends}${ended.byEmail === null ? '' : ` (${ended.byEmail})`}. `
        : `${said.charAt(0).toUpperCase()}${said.slice(1)}. ${describeEnds(until, conditions)} `}
      {why}{' '}
      <Link to="/w/$workspaceId/accepted-risks" params={{ workspaceId }}>
        All accepted risks
      </Link>
    </p>
  )
}

/** A decision that is carried over within one release line. */
export function DecidedLine({ of: { decidedLine } }: { of: Pick<FindingDetail, 'decidedLine'> }) {
  if (!decidedLine) return null
  const { name } = decidedLine
  return (
    <p>
      Decided for {name === null ? 'a release line that is gone' : <strong>the line {name}</strong>}{' '}
      alone: versions of other lines do not take it over.
    </p>
  )
}
