/** What findings rest on: how old each source is, what its last run did, and what its age means for the answers. */
import type { VulnerabilitySource, VulnerabilitySources } from '@plimsoll/api-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { api } from '../../api.ts'
import { AdminCommand } from '../../components/admin-command.tsx'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Button } from '../../components/button.tsx'
import type { ListFile } from '../../components/download-csv.ts'
import { FormFault } from '../../components/form.tsx'
import { useListed } from '../../components/listed.tsx'
import { Panel } from '../../components/panel.tsx'
import { Failure, Loading } from '../../components/states.tsx'
import { Dot } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { formatCountOf, formatBytes, formatCount } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { SOURCE_NAMES } from '../../format/sources.ts'
import { sourcesQuery } from '../../workspace-queries.ts'
import css from './sources-part.module.css'
import { Imports, Rejects } from './source-imports.tsx'
import { HOLDS, describeStale } from './source-words.ts'

export function SourcesPart() {
  const workspaceId = useWorkspaceId()
  const query = useQuery(sourcesQuery(workspaceId))
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  return data ? <Sources known={data} /> : <Loading />
}

function Sources({ known }: { known: VulnerabilitySources }) {
  const { sources, imports, keepsSources } = known
  const mayRead = useMay('Workspace settings: write') && keepsSources
  return (
    <>
      <Panel
        title="Vulnerability sources"
        note="what findings rest on, and how fresh it is"
        isFlush
      >
        <p className={css['verdict']}>{verdictOf(sources)}</p>
        <SourceRows sources={sources} mayRead={mayRead} />
        {!mayRead && <WhoReads keepsSources={keepsSources} />}
      </Panel>
      {(mayRead || imports.length > 0) && <Imports imports={imports} mayImport={mayRead} />}
    </>
  )
}

const FILE: ListFile<VulnerabilitySource> = {
  name: 'sources',
  columns: [
    'source',
    'state',
    'recordCount',
    'skippedCount',
    'lastSuccessAt',
    'snapshotAt',
    'nextSyncAt',
    'lastError',
    'notice',
  ],
}

interface SourceRowsProps {
  sources: readonly VulnerabilitySource[]
  mayRead: boolean
}

/** Compact, they do not tell what each source holds. */
function SourceRows({ sources, mayRead }: SourceRowsProps) {
  const { menu, isCompact } = useListed({ list: 'sources', csv: FILE }, [], sources)
  return (
    <>
      {menu}
      <ul className={css['sources']}>
        {sources.map((source) => (
          <SourceRow key={source.source} {...{ source, mayRead, isCompact }} />
        ))}
      </ul>
    </>
  )
}

function verdictOf(sources: readonly VulnerabilitySource[]): string {
  const stale = sources.filter(({ isStale }) => isStale)
  if (stale.length === 0)
    return 'Every source is current: what is not listed is not known to be vulnerable.'
  const names = stale.map(({ source }) => SOURCE_NAMES[source]).join(', ')
  return `${names} ${stale.length === 1 ? 'is' : 'are'} not current. Findings that are listed hold; some may be missing.`
}

function WhoReads({ keepsSources }: { keepsSources: boolean }) {
  if (keepsSources)
    return (
      <p className={css['operator']}>
        Owners and admins of this workspace read a source now, and carry files in.
      </p>
    )
  return (
    <p className={css['operator']}>
      Sources belong to the whole service. Its operator reads one now with{' '}
      <AdminCommand command="feeds sync" />, carries files in with{' '}
      <AdminCommand command="feeds import" />, or lets this workspace do both with{' '}
      <AdminCommand command="feeds keeper" />.
    </p>
  )
}

interface SourceRowProps {
  source: VulnerabilitySource
  mayRead: boolean
  isCompact: boolean
}

function SourceRow({ source, mayRead, isCompact }: SourceRowProps) {
  const { recordCount, lastSuccessAt, snapshotAt, nextSyncAt, lastError, notice } = source
  const name = SOURCE_NAMES[source.source]
  return (
    <li>
      <div className={css['head']}>
        <h3>{name}</h3>
        <State source={source} />
        {mayRead && <ReadNow source={source} name={name} />}
      </div>
      {!isCompact && <p className={css['holds']}>{HOLDS[source.source]}</p>}
      {source.phase !== 'Idle' && <Progress source={source} name={name} />}
      <dl className={css['facts']}>
        <Fact name="Records">{formatCount(recordCount)}</Fact>
        <Fact name="Complete">
          {lastSuccessAt === null ? 'never' : <Time at={lastSuccessAt} />}
        </Fact>
        {snapshotAt !== null && (
          <Fact name="Data of">
            <Time at={snapshotAt} as="date" />
          </Fact>
        )}
        <Fact name="Next">{nextSyncAt === null ? 'not by itself' : <Time at={nextSyncAt} />}</Fact>
        <LastRun run={source.lastRun} />
      </dl>
      <Rejects count={source.skippedCount} reasons={source.skippedReasons} />
      {lastError !== null && <p className={css['fault']}>{lastError}</p>}
      {notice !== null && <p className={css['holds']}>{notice}</p>}
      {source.isStale && <p className={css['meaning']}>{describeStale(source.source)}</p>}
    </li>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function LastRun({ run }: { run: VulnerabilitySource['lastRun'] }) {
  if (run === null) return null
  const { kind, endedAt, added, changed, withdrawn, skipped } = run
  const counts = [
    `${formatCount(added)} new`,
    `${formatCount(changed)} changed`,
    ...(withdrawn > 0 ? [`${formatCount(withdrawn)} withdrawn`] : []),
    ...(skipped > 0 ? [`${formatCount(skipped)} rejected`] : []),
  ]
  return (
    <Fact name={kind === 'Import' ? 'Last run, of a file' : 'Last run'}>
      {counts.join(', ')}, <Time at={endedAt} />
    </Fact>
  )
}

function ReadNow({ source, name }: { source: VulnerabilitySource; name: string }) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const ask = useMutation({
    mutationFn: () =>
      api.post('/workspaces/{workspaceId}/vulnerability-sources/{source}/sync', {
        params: { workspaceId, source: source.source },
      }),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['sources', workspaceId] }),
  })
  const isReading = source.phase !== 'Idle' || source.requestedAt !== null
  return (
    <div className={css['act']}>
      <Button
        size="small"
        isBusy={ask.isPending}
        disabled={isReading}
        aria-label={`Read now: ${name}`}
        onClick={() => ask.mutate()}
      >
        Read now
      </Button>
      <FormFault error={ask.error} />
    </div>
  )
}

function State({ source }: { source: VulnerabilitySource }) {
  const { phase, state, requestedAt } = source
  if (phase !== 'Idle')
    return (
      <Dot tone="accent" isHollow>
        {phase === 'Fetching' ? 'Fetching' : 'Importing'}
      </Dot>
    )
  if (requestedAt !== null)
    return (
      <Dot tone="accent" isHollow>
        Asked for: a worker begins
      </Dot>
    )
  if (state === 'Off' || state === 'NeverRead')
    return (
      <Dot tone="muted" isHollow>
        {state === 'Off' ? 'Off' : 'Never read'}
      </Dot>
    )
  return state === 'Stale' ? <Dot tone="warn">Stale</Dot> : <Dot tone="ok">Current</Dot>
}

function Progress({ source: { progress }, name }: { source: VulnerabilitySource; name: string }) {
  const { partsDone = 0, partsTotal } = progress ?? {}
  const share = partsTotal === undefined ? {} : { value: partsDone, max: partsTotal }
  return (
    <div className={css['progress']}>
      <progress aria-label={`Progress of ${name}`} {...share} />
      <span role="status">{progressText(progress)}</span>
    </div>
  )
}

function progressText(progress: VulnerabilitySource['progress']): string {
  if (!progress) return 'It begins.'
  const { part, partsDone, partsTotal, records, bytes, merging } = progress
  const texts = [
    part,
    partsTotal === undefined ? undefined : `${partsDone} of ${formatCountOf(partsTotal, 'part')}`,
    records === undefined ? undefined : formatCountOf(records, 'record'),
    records === undefined && bytes !== undefined ? formatBytes(bytes) : undefined,
    merging?.step.toLowerCase(),
  ]
  return texts.filter((text) => text !== undefined && text !== '').join(', ')
}
