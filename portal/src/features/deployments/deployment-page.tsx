/** Is it going well, and how does one get back? */
import { type Deployment, type DeploymentCohort, nameDeploymentState } from '@plimsoll/api-client'
import { IconAlertTriangle, IconArrowBackUp, IconPlayerPause } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { findBlockingError } from '../../components/blocking-error.ts'
import { WhoDidWhat } from '../../components/audit/who-did-what.tsx'
import { Button } from '../../components/button.tsx'
import { FormFault } from '../../components/form.tsx'
import { MarkSign } from '../../components/mark.tsx'
import { Page } from '../../components/page.tsx'
import { Panel } from '../../components/panel.tsx'
import { FailedPage } from '../../components/failed-page.tsx'
import { Loading } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { Time } from '../../components/time.tsx'
import { TopBar } from '../../components/top-bar.tsx'
import { formatCountOf, formatPercent } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { CancelDialog } from './cancel-dialog.tsx'
import { ChangeDialog } from './change-dialog.tsx'
import { Comparisons } from './comparison-panel.tsx'
import css from './deployments.module.css'
import { DeviceUpdates } from './device-updates.tsx'
import { Failures } from './failures.tsx'
import { NextPhaseDialog, findNextPhase } from './next-phase-dialog.tsx'
import {
  act,
  cohortQuery,
  type DeploymentName,
  deploymentQuery,
  type StateChange,
} from './queries.ts'
import { PauseOrResume } from './pause-or-resume.tsx'
import { RollBackDialog } from './roll-back-dialog.tsx'
import { DevicesIn, StateBar, StateLegend } from './state-bar.tsx'
import { TimeLine } from './time-line.tsx'
import {
  describeEvent,
  DEPLOYMENT_TONES,
  findMain,
  describeEmpty,
  countDevices,
  nameVersions,
} from './words.ts'

export function DeploymentPage() {
  const name = useParams({
    from: '/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId',
  })
  const workspaceId = useWorkspaceId()
  const ofCohort = useQuery(cohortQuery(workspaceId, name.deploymentCohortId))
  const { data: cohort } = ofCohort
  const query = useQuery(deploymentQuery(workspaceId, name))
  const { data, refetch } = query
  const failure = findBlockingError(query) ?? findBlockingError(ofCohort)
  if (failure)
    return <FailedPage title="Deployment" error={failure} onRetry={() => void refetch()} />
  if (!data || !cohort) return <Loading rows={8} />
  return <Content deployment={data} cohort={cohort} name={name} />
}

interface ContentProps {
  deployment: Deployment
  cohort: DeploymentCohort
  name: DeploymentName
}

function Content({ deployment, cohort, name }: ContentProps) {
  const workspaceId = useWorkspaceId()
  const [asked, setAsked] = useState<DialogQuestion>()
  const { deploymentCohortId } = name
  const { deviceCounts } = deployment
  const total = countDevices(deployment)
  return (
    <>
      <TopBar
        title={`${titleOf(deployment)} to ${cohort.name}`}
        subject={`deployment:${deployment.id}`}
        trail={[
          <Link key="list" to="/w/$workspaceId/deployments" params={{ workspaceId }}>
            Deployments
          </Link>,
          <Link
            key="cohort"
            to="/w/$workspaceId/deployments/$deploymentCohortId"
            params={{ workspaceId, deploymentCohortId }}
          >
            {cohort.name}
          </Link>,
        ]}
      >
        {titleOf(deployment)}
      </TopBar>
      <Page>
        <Head {...{ deployment, cohort, name, asked }} onAsk={setAsked} />
        <Banner deployment={deployment} name={name} />
        <Panel
          title={<Progress deployment={deployment} name={name} />}
          aside={total > 0 && <span>{formatPercent(deviceCounts.reporting / total)}</span>}
        >
          <StateBar counts={deviceCounts} />
          <StateLegend counts={deviceCounts} name={name} />
        </Panel>
        <TimeLine deployment={deployment} />
        <Comparisons deployment={deployment} name={name} onAsk={setAsked} />
        <Failures deployment={deployment} name={name} />
        <WhoDidWhat subject={`deployment:${deployment.id}`} />
        <div id="devices" className={deployment.isActive ? css['withFoot'] : undefined}>
          <DeviceUpdates deployment={deployment} name={name} />
        </div>
      </Page>
    </>
  )
}

/** "52 of 90 devices report 4.5.0", each number with its devices. */
function Progress({ deployment, name }: { deployment: Deployment; name: DeploymentName }) {
  const total = countDevices(deployment)
  if (total === 0) return describeEmpty(deployment)
  const { reporting } = deployment.deviceCounts
  return (
    <>
      <DevicesIn name={name} state="reporting" count={reporting} /> of{' '}
      <DevicesIn name={name} state={undefined} count={total}>
        {formatCountOf(total, 'device')}
      </DevicesIn>{' '}
      {reporting === 1 ? 'reports' : 'report'} {nameVersions(deployment)}
    </>
  )
}

function titleOf(deployment: Deployment): string {
  const main = findMain(deployment)?.firmware.firmwareVersion
  return main ? `${main.firmware.name} ${main.name}` : deployment.name
}

interface HeadProps extends ContentProps {
  asked: DialogQuestion | undefined
  onAsk: (asked: DialogQuestion | undefined) => void
}

function Head({ deployment, cohort, name, asked, onAsk }: HeadProps) {
  const main = findMain(deployment)?.firmware.firmwareVersion
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Deployments: write')
  const change = useChange(name)
  const { createdAt, createdByEmail, state, gate, note } = deployment
  return (
    <header className={css['head']}>
      {main && <MarkSign state={main.mark.state} size={28} />}
      <div>
        <h2>
          {main && (
            <Link
              to="/w/$workspaceId/versions/$versionId"
              params={{ workspaceId, versionId: main.id }}
              title={main.mark.sentence}
            >
              {main.firmware.name} <code>{main.name}</code>
            </Link>
          )}{' '}
          to {cohort.name}{' '}
          <Tag tone={DEPLOYMENT_TONES[state]}>{nameDeploymentState(deployment)}</Tag>
        </h2>
        <p className={css['note']}>
          {deployment.name}; {deployment.rollbackOfId === null ? 'started' : 'rolled back'}{' '}
          <Time at={createdAt} as="dateTime" /> by {createdByEmail ?? 'an API key'}
          <Overruled gate={gate} />
        </p>
        {note !== null && <p className={css['remark']}>{note}</p>}
      </div>
      {mayWrite && deployment.isActive && (
        <Acts deployment={deployment} change={change} onAsk={onAsk} />
      )}
      {/* They outlive the deployment: whoever was slower reads who was faster. */}
      {(asked === undefined || asked === 'roll back') && (
        <FormFault error={change.error} said="Not done." />
      )}
      <AskedDialog
        {...{ deployment, cohort, name, change, asked }}
        onClose={() => onAsk(undefined)}
      />
    </header>
  )
}

/** What a dialog asks about. */
type DialogQuestion = 'change' | 'cancel' | 'next phase' | 'roll back'

interface AskedDialogProps extends ContentProps {
  asked: DialogQuestion | undefined
  change: StateChange
  onClose: () => void
}

function AskedDialog({ asked, cohort, ...props }: AskedDialogProps) {
  if (asked === undefined) return null
  if (asked === 'change') return <ChangeDialog {...props} />
  if (asked === 'cancel') return <CancelDialog {...props} cohortName={cohort.name} />
  if (asked === 'next phase') return <NextPhaseDialog {...props} cohortName={cohort.name} />
  return <RollBackDialog {...props} cohort={cohort} />
}

function Overruled({ gate }: Pick<Deployment, 'gate'>) {
  const acknowledgement = gate?.acknowledgement
  if (!acknowledgement) return null
  const { byEmail, reason } = acknowledgement
  return (
    <>
      ; the gate was overruled by {byEmail ?? 'an API key'}: “{reason}”
    </>
  )
}

function useChange(name: DeploymentName): StateChange {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (what) => act(workspaceId, name, what),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deployments', workspaceId] }),
  })
}

interface ActsProps {
  deployment: Deployment
  change: StateChange
  onAsk: (asked: DialogQuestion) => void
}

function Acts({ deployment, change, onAsk }: ActsProps) {
  return (
    <div className={`${css['acts']} ${css['foot']}`}>
      <PauseOrResume deployment={deployment} change={change} />
      {findNextPhase(deployment) && (
        <Button
          isBusy={change.isPending}
          aria-haspopup="dialog"
          onClick={() => onAsk('next phase')}
        >
          Next phase…
        </Button>
      )}
      <Button aria-haspopup="dialog" onClick={() => onAsk('change')}>
        Change…
      </Button>
      <Button isBusy={change.isPending} aria-haspopup="dialog" onClick={() => onAsk('cancel')}>
        Cancel…
      </Button>
      <Button kind="danger" aria-haspopup="dialog" onClick={() => onAsk('roll back')}>
        <IconArrowBackUp size={15} aria-hidden="true" /> Roll back…
      </Button>
    </div>
  )
}

/** Why it does not go on, and who said so. */
function Banner({ deployment, name }: { deployment: Deployment; name: DeploymentName }) {
  const { state, stateReason, startsAt } = deployment
  if (state === 'Running') return null
  const Icon = state === 'Stopped' ? IconAlertTriangle : IconPlayerPause
  const last = deployment.events.at(-1)
  return (
    <div className={`${css['banner']} ${state === 'Stopped' ? css['stopped'] : ''}`} role="status">
      <Icon size={16} aria-hidden="true" />
      <strong>{BANNERS[state]}</strong>
      {stateReason !== null && state !== 'Superseded' && <span>{stateReason}</span>}
      {state === 'Scheduled' && startsAt !== null && <Time at={startsAt} as="dateTime" />}
      {state !== 'Scheduled' && last && (
        <LastEvent event={last} deploymentCohortId={name.deploymentCohortId} />
      )}
      {(state === 'Paused' || state === 'Stopped') && (
        <span>Devices that have begun carry on; no further device begins.</span>
      )}
    </div>
  )
}

interface LastEventProps {
  event: Deployment['events'][number]
  deploymentCohortId: string
}

function LastEvent({ event, deploymentCohortId }: LastEventProps) {
  const workspaceId = useWorkspaceId()
  const { at, deploymentId } = event
  return (
    <>
      <span>
        {describeEvent(event)} <Time at={at} as="dateTime" />
      </span>
      {deploymentId !== null && (
        <Link
          to="/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId"
          params={{ workspaceId, deploymentCohortId, deploymentId }}
        >
          What came instead
        </Link>
      )}
    </>
  )
}

const BANNERS: Record<Exclude<Deployment['state'], 'Running'>, string> = {
  Scheduled: 'Begins later:',
  Paused: 'Paused.',
  Stopped: 'Stopped itself.',
  Superseded: 'This deployment has ended.',
  Cancelled: 'Cancelled.',
}
