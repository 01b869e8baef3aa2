/** What the exposure would be if cohorts ran other versions. Nothing is deployed here. */
import type { WhatIf } from '@plimsoll/api-client'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { findBlockingError } from '../../components/blocking-error.ts'
import { findDeploymentForm } from '../../components/addresses.ts'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Mark } from '../../components/mark.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { ShareBar } from '../../components/share-bar.tsx'
import { Empty, Failure, Loading } from '../../components/states.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { cohortsQuery, versionQuery } from '../../workspace-queries.ts'
import { CohortSelect, VersionSelect } from './choose.tsx'
import css from './deployments.module.css'
import { NetList } from './net-list.tsx'
import { whatIfQuery } from './queries.ts'
import { formatSupposed, type SupposedVersion, parseSupposed } from './what-if.ts'
import bars from './what-if.module.css'

export function WhatIfPage() {
  const workspaceId = useWorkspaceId()
  const { runs } = useSearch({ from: '/w/$workspaceId/deployments/what-if' })
  const navigate = useNavigate({ from: '/w/$workspaceId/deployments/what-if' })
  const supposed = parseSupposed(runs)
  const change = (next: readonly SupposedVersion[]) =>
    void navigate({ search: { runs: formatSupposed(next) }, replace: true })
  return (
    <>
      <TopBar
        title="What if"
        trail={[
          <Link key="list" to="/w/$workspaceId/deployments" params={{ workspaceId }}>
            Deployments
          </Link>,
        ]}
      />
      <Page>
        <div className={css['steps']}>
          <Panel title="Suppose that" note="nothing is deployed; the address keeps what you choose">
            <ul className={bars['supposed']}>
              {supposed.map((one) => (
                <SupposedRow
                  key={`${one.cohortId} ${one.versionId}`}
                  supposed={one}
                  onRemove={() => change(supposed.filter((other) => other !== one))}
                />
              ))}
            </ul>
            <AddRow onAdd={(one) => change([...supposed, one])} />
          </Panel>
          {supposed.length === 0 ? (
            <Empty title="Nothing is supposed yet">
              Choose a cohort and a version: all devices are then told by their worst finding,
              before and after.
            </Empty>
          ) : (
            <Outcome supposed={supposed} />
          )}
        </div>
      </Page>
    </>
  )
}

function SupposedRow({ supposed, onRemove }: { supposed: SupposedVersion; onRemove: () => void }) {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Deployments: write')
  const { cohortId, versionId } = supposed
  const { data: cohorts } = useQuery(cohortsQuery(workspaceId))
  const { data: version } = useQuery(versionQuery(workspaceId, versionId))
  const cohort = cohorts?.deploymentCohorts.find(({ id }) => id === cohortId)
  return (
    <li>
      <strong>{cohort?.name ?? '…'}</strong> runs{' '}
      {version ? (
        <>
          {version.firmware.name} <code>{version.name}</code> <Mark mark={version.mark} />
        </>
      ) : (
        '…'
      )}
      <span className={bars['acts']}>
        {mayWrite && (
          <Link
            {...findDeploymentForm(workspaceId, {
              cohortId,
              versionId,
              deviceCount: cohort?.deviceCount,
            })}
          >
            Create deployment…
          </Link>
        )}
        <Button size="small" kind="quiet" onClick={onRemove}>
          Remove
        </Button>
      </span>
    </li>
  )
}

function AddRow({ onAdd }: { onAdd: (supposed: SupposedVersion) => void }) {
  const [cohortId, setCohort] = useState('')
  const [firmwareId, setFirmware] = useState('')
  return (
    <div className={css['row']}>
      <CohortSelect value={cohortId} onChange={(id = '') => setCohort(id)} />
      <VersionSelect
        firmwareId={firmwareId}
        onFirmware={(id = '') => setFirmware(id)}
        versionId=""
        isDisabled={cohortId === ''}
        onVersion={(versionId) => {
          if (versionId === undefined) return
          onAdd({ cohortId, versionId })
          setCohort('')
        }}
      />
    </div>
  )
}

function Outcome({ supposed }: { supposed: readonly SupposedVersion[] }) {
  const workspaceId = useWorkspaceId()
  const query = useQuery(whatIfQuery(workspaceId, supposed))
  const { data, refetch, isPlaceholderData } = query
  const error = findBlockingError(query)
  if (error) return <Failure error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const { before, after, net, changes } = data
  const missing = changes.flatMap(({ deploymentCohort, artifacts }) =>
    artifacts
      .filter(({ notReportingCount }) => notReportingCount > 0)
      .map(
        ({ firmware, notReportingCount }) =>
          `${formatCountOf(notReportingCount, 'device')} of ${deploymentCohort.name} ${notReportingCount === 1 ? 'reports' : 'report'} no ${firmware.slug} and ${notReportingCount === 1 ? 'is' : 'are'} counted as ${notReportingCount === 1 ? 'it is' : 'they are'}.`,
      ),
  )
  return (
    <Panel title="Then" note="all devices of the workspace, by the worst finding of what they run">
      <div aria-busy={isPlaceholderData} className={bars['outcome']}>
        <p className={bars['sentence']}>{sentenceOf(data)}</p>
        <Bar name="Now" exposure={before} />
        <Bar name="Then" exposure={after} />
        <Table before={before} after={after} />
        {after.deviceCount > before.deviceCount && (
          <p className={css['note']}>
            {formatCountOf(after.deviceCount - before.deviceCount, 'device')} more than now: what
            they report today is no version that is known here.
          </p>
        )}
        {missing.map((text) => (
          <p key={text} className={css['note']}>
            {text}
          </p>
        ))}
        <NetList
          net={net.removed}
          title={`${formatCountOf(net.removed.count, 'vulnerability', 'vulnerabilities')} go`}
        />
        <NetList
          net={net.introduced}
          title={`${formatCountOf(net.introduced.count, 'vulnerability', 'vulnerabilities')} come`}
        />
      </div>
    </Panel>
  )
}

type Exposure = WhatIf['before']

function sentenceOf({ before, after }: WhatIf): string {
  const runs = (count: number) =>
    `${formatCountOf(count, 'device')} ${count === 1 ? 'runs' : 'run'} known-exploited vulnerabilities`
  if (before.exploited === after.exploited)
    return before.exploited === 0
      ? 'No device runs a known-exploited vulnerability, now or then.'
      : `${runs(before.exploited)}, now as then.`
  return `${runs(before.exploited)} now, ${formatCount(after.exploited)} then.`
}

const WORDS: Record<Exposure['byWorst'][number]['worst'], string> = {
  Critical: 'Critical',
  High: 'High',
  Medium: 'Medium',
  Low: 'Low',
  None: 'None',
  Unknown: 'Unknown severity',
  NotJudged: 'Not judged',
  Clean: 'No active finding',
}

function Bar({ name, exposure }: { name: string; exposure: Exposure }) {
  const present = exposure.byWorst.filter(({ devices }) => devices > 0)
  const text = present.map(({ worst, devices }) => `${WORDS[worst]} ${devices}`).join(', ')
  return (
    <div className={bars['line']}>
      <span>{name}</span>
      <ShareBar
        label={`${name}: ${text === '' ? 'no device' : text}`}
        shares={present.map(({ worst, devices }) => ({
          key: worst,
          count: devices,
          className: bars[worst],
        }))}
      />
    </div>
  )
}

function Table({ before, after }: { before: Exposure; after: Exposure }) {
  const rows = before.byWorst.map(({ worst, devices }) => ({
    worst,
    now: devices,
    later: after.byWorst.find((one) => one.worst === worst)?.devices ?? 0,
  }))
  return (
    <table className={bars['table']}>
      <thead>
        <tr>
          <th scope="col">Worst finding</th>
          <th scope="col">Devices now</th>
          <th scope="col">Then</th>
          <th scope="col">Change</th>
        </tr>
      </thead>
      <tbody>
        {rows
          .filter(({ now, later }) => now + later > 0)
          .map(({ worst, now, later }) => (
            <tr key={worst}>
              <th scope="row">
                <i className={bars[worst]} aria-hidden="true" /> {WORDS[worst]}
              </th>
              <td>{formatCount(now)}</td>
              <td>{formatCount(later)}</td>
              <td>{changeOf(later - now)}</td>
            </tr>
          ))}
      </tbody>
    </table>
  )
}

function changeOf(by: number): string {
  if (by === 0) return 'none'
  return by > 0 ? `+${formatCount(by)}` : `−${formatCount(-by)}`
}
