import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../../api.ts'
import { Button } from '../../components/button.tsx'
import { FormFault } from '../../components/form.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { Dot } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCount } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import css from './alerts.module.css'
import { type Incident, incidentsQuery } from './queries.ts'
import { conditionSentence } from './rule-words.ts'

export function IncidentsTab() {
  return (
    <div className={css['stack']}>
      <Incidents
        title="Now"
        isOpen
        emptyTitle="Nothing fires"
        emptyText="No rule is firing. What is watched stands under Rules."
      />
      <Incidents
        title="Before"
        isOpen={false}
        emptyTitle="Nothing fired yet"
        emptyText="Incidents that ended stand here, with what ended them."
      />
    </div>
  )
}

interface IncidentsProps {
  title: string
  isOpen: boolean
  emptyTitle: string
  emptyText: string
}

function Incidents({ title, isOpen, emptyTitle, emptyText }: IncidentsProps) {
  const workspaceId = useWorkspaceId()
  const list = useInfiniteQuery(incidentsQuery(workspaceId, isOpen))
  const incidents = list.data?.pages.flatMap((page) => page.incidents) ?? []
  return (
    <Panel
      title={title}
      aside={
        list.hasNextPage && (
          <Button
            size="small"
            isBusy={list.isFetchingNextPage}
            onClick={() => void list.fetchNextPage()}
          >
            Show older
          </Button>
        )
      }
      isFlush
    >
      {list.error && <Failure error={list.error} onRetry={() => void list.refetch()} />}
      {list.isPending && <Loading />}
      {list.isSuccess && incidents.length === 0 && <Empty title={emptyTitle}>{emptyText}</Empty>}
      <ul className={css['rows']}>
        {incidents.map((incident) => (
          <Row key={incident.id} incident={incident} />
        ))}
      </ul>
    </Panel>
  )
}

function Row({ incident }: { incident: Incident }) {
  const { alertRule, condition, beganAt, endedAt, endedCause, firingSeriesCount } = incident
  return (
    <li>
      <div>
        <Dot tone={endedAt === null ? 'danger' : 'muted'} isHollow={endedAt !== null}>
          <strong>{alertRule.name}</strong>
        </Dot>
        <p>{conditionSentence({ type: alertRule.type, condition })}</p>
      </div>
      <p>
        began <Time at={beganAt} />
        {endedAt !== null && (
          <>
            , ended <Time at={endedAt} />: {endedCause && CAUSES[endedCause]}
          </>
        )}
        {endedAt === null && `; ${formatCount(firingSeriesCount)} firing`}
      </p>
      <Acknowledge incident={incident} />
    </li>
  )
}

const CAUSES: Record<NonNullable<Incident['endedCause']>, string> = {
  Recovered: 'it recovered',
  NoData: 'no data any more',
  RuleChanged: 'the rule was changed',
  RuleDisabled: 'the rule was switched off',
  RuleDeleted: 'the rule was deleted',
}

function Acknowledge({ incident }: { incident: Incident }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const mayWrite = useMay('Alerts: write')
  const { id, endedAt, acknowledgedAt, acknowledgedByEmail } = incident
  const acknowledge = useMutation({
    mutationFn: () =>
      api.post('/workspaces/{workspaceId}/alert-incidents/{incidentId}/acknowledge', {
        params: { workspaceId, incidentId: id },
      }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['alerts', workspaceId] }),
  })
  if (acknowledgedAt !== null) return <p>seen by {acknowledgedByEmail ?? 'an API key'}</p>
  if (endedAt !== null || !mayWrite) return <span />
  return (
    <div>
      <Button
        size="small"
        isBusy={acknowledge.isPending}
        title="Stops reminders until it ends"
        onClick={() => acknowledge.mutate()}
      >
        Acknowledge
      </Button>
      <FormFault error={acknowledge.error} />
    </div>
  )
}
