/** One component of a version: how it got in, how it is identified, and why a vulnerability is found in it or not. */
import type { ComponentJudgements } from '@plimsoll/api-client'
import { TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { AsRecorded, Compared, nameKey } from '../../../components/as-recorded.tsx'
import { findBlockingError } from '../../../components/blocking-error.ts'
import { findVulnerabilityPage } from '../../../components/addresses.ts'
import { Button } from '../../../components/button.tsx'
import { Panel } from '../../../components/panel.tsx'
import { PathTree } from '../../../components/path-tree.tsx'
import { Failure, Loading } from '../../../components/states.tsx'
import { Tag, type Tone } from '../../../components/tag.tsx'
import type { VersionSearch } from '../../../searches.ts'
import { useWorkspaceId } from '../../../session.ts'
import { formatSource } from '../../../format/sources.ts'
import { describeScope } from '../component-scopes.ts'
import { judgementsQuery } from '../queries.ts'
import css from './component-pane.module.css'

interface ComponentPaneProps {
  versionId: string
  componentId: string
  /** The vulnerability that is asked about. */
  cveId: string
  onChange: (next: VersionSearch) => void
}

export default function ComponentPane(props: ComponentPaneProps) {
  const { versionId, componentId, cveId, onChange } = props
  const workspaceId = useWorkspaceId()
  const asked = { firmwareVersionId: versionId, componentId }
  const { data, error, refetch } = useQuery(judgementsQuery(workspaceId, asked, ''))
  const pane = useRef<HTMLElement>(null)
  // On narrow screens it stands over the list, perhaps out of sight.
  useEffect(() => {
    // In newer browsers it answers a promise, which is no clean-up.
    pane.current?.scrollIntoView({ block: 'nearest' })
  }, [componentId])
  const close = () => onChange({ component: undefined, cve: undefined })
  return (
    <aside ref={pane} className={css['pane']} aria-label="Component">
      <Panel
        title={data ? `${data.component.packageName} ${data.component.version ?? ''}` : '…'}
        aside={
          <Button size="small" kind="quiet" aria-label="Close the component" onClick={close}>
            <IconX size={16} aria-hidden="true" />
          </Button>
        }
      >
        {error && <Failure error={error} onRetry={() => void refetch()} />}
        {!data && !error && <Loading rows={5} />}
        {data && (
          <div className={css['parts']}>
            <Inside data={data} />
            <section>
              <h3>Is it vulnerable?</h3>
              <Ask key={componentId} cveId={cveId} onAsk={(cve) => onChange({ cve })} />
              {cveId !== '' && <JudgedVulnerability asked={asked} cveId={cveId} />}
            </section>
            <Identity identity={data.identity} />
            <Findings name={data.component.packageName} versionId={versionId} />
          </div>
        )}
      </Panel>
    </aside>
  )
}

function Inside({ data: { component } }: { data: ComponentJudgements }) {
  const { pathsToRoot, sbom, scope } = component
  return (
    <section>
      <h3>How it got in</h3>
      {pathsToRoot.length === 0 ? (
        <p>The SBOM lists it and says of nothing that it depends on it.</p>
      ) : (
        <PathTree paths={pathsToRoot} />
      )}
      <p className={css['note']}>
        From <code>{sbom.fileName}</code>
        {scope !== null && `, which says: ${describeScope(scope)}`}
      </p>
    </section>
  )
}

function Ask({ cveId, onAsk }: { cveId: string; onAsk: (cveId: string) => void }) {
  const [text, setText] = useState(cveId)
  return (
    <form
      data-kept
      onSubmit={(event) => {
        event.preventDefault()
        onAsk(text.trim())
      }}
    >
      <TextInput
        aria-label="Vulnerability to ask about"
        placeholder="CVE id or alias, then Enter"
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </form>
  )
}

interface JudgedProps {
  asked: { firmwareVersionId: string; componentId: string }
  cveId: string
}

function JudgedVulnerability({ asked, cveId }: JudgedProps) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(judgementsQuery(workspaceId, asked, cveId))
  const { data, refetch } = query
  const error = findBlockingError(query)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading rows={2} />
  return data.vulnerabilities.map((one) => <Verdict key={one.cveId} judged={one} />)
}

type JudgedVulnerability = ComponentJudgements['vulnerabilities'][number]

const TONES: Record<JudgedVulnerability['conclusion'], Tone> = {
  affected: 'danger',
  'not affected': 'ok',
  undecided: 'warn',
  'not named': 'muted',
  'no record': 'muted',
}

function Verdict({ judged }: { judged: JudgedVulnerability }) {
  const workspaceId = useWorkspaceId()
  const { cveId, isDisputed, conclusion, text, findingId, records } = judged
  return (
    <div role="status">
      <p className={css['conclusion']}>
        <Tag tone={TONES[conclusion]}>{conclusion}</Tag>{' '}
        {isDisputed && <Tag tone="warn">disputed</Tag>}{' '}
        <Link {...findVulnerabilityPage(workspaceId, cveId)}>
          <code>{cveId}</code>
        </Link>
        : {text}{' '}
        {findingId !== null && (
          <Link to="/w/$workspaceId/findings/$findingId" params={{ workspaceId, findingId }}>
            Open the finding
          </Link>
        )}
      </p>
      <ul className={css['records']}>
        {records.map((record) => (
          <RecordRow key={`${record.source} ${record.advisoryId}`} record={record} />
        ))}
      </ul>
    </div>
  )
}

type RecordVerdict = JudgedVulnerability['records'][number]['verdict']

const VERDICTS: Record<RecordVerdict, string> = {
  affected: 'affected',
  unaffected: 'not affected',
  undecided: 'cannot be compared',
  silent: 'says nothing of this version',
  'other names': 'is about something else',
  withdrawn: 'withdrawn',
}

function RecordRow({ record }: { record: JudgedVulnerability['records'][number] }) {
  const { source, advisoryId, verdict, comparisons, otherNames } = record
  return (
    <li>
      <strong>{formatSource(source)}</strong> <code>{advisoryId}</code>: {VERDICTS[verdict]}
      {comparisons.map((one) => (
        <ComparedRange key={`${one.key} ${one.range} ${one.version}`} compared={one} />
      ))}
      {otherNames.length > 0 && (
        <>
          <p>
            It is about{' '}
            <code>{[...new Set(otherNames.map(nameKey))].slice(0, MOST_OTHERS).join(', ')}</code>
            {otherNames.length > MOST_OTHERS && ` and ${otherNames.length - MOST_OTHERS} more`}.
          </p>
          <AsRecorded facts={[{ label: 'Names', text: otherNames.join(', ') }]} />
        </>
      )}
    </li>
  )
}

const MOST_OTHERS = 3

type Comparison = JudgedVulnerability['records'][number]['comparisons'][number]

function ComparedRange({ compared }: { compared: Comparison }) {
  const { key, identifier, range, rangeInWords, comparator, verdict, outrankedBy, notes } = compared
  return (
    <>
      <p>
        <Compared of={compared} /> against {rangeInWords}: {VERDICTS[verdict]}
        {outrankedBy !== null && `; outranked by ${outrankedBy}`}
        {notes.length > 0 && ` (${notes.join('; ')})`}
      </p>
      <AsRecorded
        facts={[
          { label: 'Name', text: key },
          { label: 'Range', text: range },
          { label: 'Identifier', text: identifier },
          { label: 'Versions compared as', text: comparator },
        ]}
      />
    </>
  )
}

function Identity({ identity: { steps, names, advice } }: Pick<ComponentJudgements, 'identity'>) {
  return (
    <section>
      <h3>How it is identified</h3>
      <ol className={css['steps']}>
        {steps.map(({ rule, text }) => (
          <li key={`${rule} ${text}`}>{text}</li>
        ))}
      </ol>
      <ul className={css['names']}>
        {names.map(({ key, version, isKnown }) => (
          <li key={`${key} ${version}`}>
            <code>
              {key} {version}
            </code>{' '}
            {!isKnown && <Tag tone="warn">no record has this name</Tag>}
          </li>
        ))}
      </ul>
      {advice.map((text) => (
        <p key={text}>{text}</p>
      ))}
    </section>
  )
}

function Findings({ name, versionId }: { name: string; versionId: string }) {
  const workspaceId = useWorkspaceId()
  return (
    <Link
      to="/w/$workspaceId/versions/$versionId"
      params={{ workspaceId, versionId }}
      search={{ package: name, show: 'all' }}
    >
      Its findings in this version
    </Link>
  )
}
