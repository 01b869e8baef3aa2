import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/panel.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { Time } from '../../components/time.tsx'
import { useWorkspaceId } from '../../session.ts'
import { type AuditEntry, auditLogQuery } from './queries.ts'
import { changedMembers } from './changed-members.ts'
import css from './settings-page.module.css'

const TYPING_MS = 250

export function AuditLogPart() {
  const workspaceId = useWorkspaceId()
  const [actor, setActor] = useState('')
  const [action, setAction] = useState('')
  const [filter] = useDebouncedValue(
    { ...(actor !== '' && { actor }), ...(action !== '' && { action }) },
    TYPING_MS,
  )
  const log = useInfiniteQuery(auditLogQuery(workspaceId, filter))
  const entries = log.data?.pages.flatMap((page) => page.entries) ?? []
  return (
    <>
      <div className={css['row']}>
        <TextInput
          label="By whom"
          placeholder="ines@example.com"
          value={actor}
          onChange={(event) => setActor(event.currentTarget.value)}
        />
        <TextInput
          label="What"
          placeholder="sbom.delete"
          value={action}
          onChange={(event) => setAction(event.currentTarget.value)}
        />
      </div>
      <Panel isFlush>
        {log.error && <Failure error={log.error} onRetry={() => void log.refetch()} />}
        {log.isPending && <Loading />}
        {log.isSuccess && entries.length === 0 && (
          <Empty title="Nothing matches">Every change a person or key makes is kept here.</Empty>
        )}
        {entries.length > 0 && (
          <div className={css['scroll']} tabIndex={0}>
            <table className={css['table']}>
              <thead>
                <tr>
                  <th>When</th>
                  <th>Who</th>
                  <th>What</th>
                  <th>Changes</th>
                </tr>
              </thead>
              <tbody>
                {entries.map((entry) => (
                  <EntryRow key={entry.id} entry={entry} />
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Panel>
      {log.hasNextPage && (
        <Button isBusy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          Show older
        </Button>
      )}
    </>
  )
}

function EntryRow({ entry }: { entry: AuditEntry }) {
  const { createdAt, actorEmail, actorType, action, resourceId } = entry
  return (
    <tr>
      <td>
        <Time at={createdAt} as="dateTime" />
      </td>
      <td>
        {actorEmail ?? actorType}
        {actorType === 'ApiKey' && <span className={css['note']}> by a key</span>}
      </td>
      <td>
        <code>{action}</code>
        <p className={css['note']}>{resourceId}</p>
      </td>
      <td className={css['changes']}>
        {changedMembers(entry.before, entry.after).map(({ name, before, after }) => (
          <div key={name}>
            {name}: {before} → {after}
          </div>
        ))}
      </td>
    </tr>
  )
}
