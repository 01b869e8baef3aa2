/** Who goes back, what comes back with it, and the cohort's name typed before it happens. */
import type { Deployment, DeploymentCohort, RollbackPreview } from '@plimsoll/api-client'
import { TextInput } from '@mantine/core'
import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { findBlockingError } from '../../components/blocking-error.ts'
import { Button } from '../../components/button.tsx'
import { Choice } from '../../components/choice.tsx'
import { Dialog, GoBack } from '../../components/dialog.tsx'
import { Form, FormActs, FormFault } from '../../components/form.tsx'
import { OlderButton } from '../../components/list-panel.tsx'
import { useReturnedFocus } from '../../components/return-focus.ts'
import { Failure, Loading } from '../../components/states.tsx'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { useWorkspaceId } from '../../session.ts'
import css from './deployments.module.css'
import { NetList } from './net-list.tsx'
import { Overtaken } from './overtaken.tsx'
import { type DeploymentName, historyQuery, rollBack, rollbackPreviewQuery } from './queries.ts'
import sheet from './roll-back.module.css'
import { countReturns, listEarlierVersions, listReturnGroups, nameRestored } from './roll-back.ts'

interface RollBackDialogProps {
  deployment: Deployment
  name: DeploymentName
  cohort: DeploymentCohort
  onClose: () => void
}

export function RollBackDialog(props: RollBackDialogProps) {
  const { deployment, cohort, onClose } = props
  useReturnedFocus()
  return (
    <Dialog
      opened
      onClose={onClose}
      title={`Roll back ${cohort.name}`}
      size={520}
      centered={false}
      classNames={{
        inner: sheet['inner'] ?? '',
        content: sheet['content'] ?? '',
        header: sheet['header'] ?? '',
        body: sheet['body'] ?? '',
      }}
    >
      {deployment.isActive ? (
        <Asked {...props} />
      ) : (
        <div className={sheet['told']}>
          <Overtaken what="roll back" {...props} />
        </div>
      )}
    </Dialog>
  )
}

/** The field is there before what it is about: what is typed meanwhile stays, and nothing can be sent. */
function Asked(props: RollBackDialogProps) {
  const workspaceId = useWorkspaceId()
  const [versionId, setVersionId] = useState<string>()
  const query = useQuery(rollbackPreviewQuery(workspaceId, props.name, versionId))
  const error = findBlockingError(query)
  const data = error ? undefined : query.data
  return (
    <>
      <div className={sheet['told']} role="region" aria-label="What it does" tabIndex={0}>
        <ChooseVersion {...props} versionId={versionId} onChange={setVersionId} />
        {error && <Failure error={error} />}
        {data && <Preview preview={data} cohort={props.cohort} />}
        {!data && !error && <Loading />}
      </div>
      {(versionId !== undefined || !error) && (
        <Confirm preview={data} versionId={versionId} {...props} />
      )}
    </>
  )
}

interface ChooseVersionProps extends RollBackDialogProps {
  versionId: string | undefined
  onChange: (versionId: string | undefined) => void
}

/** Versions that the cohort had before; the preview says which cannot come back, and why. */
function ChooseVersion({ name, deployment, versionId, onChange }: ChooseVersionProps) {
  const history = useInfiniteQuery(historyQuery(useWorkspaceId(), name.deploymentCohortId))
  const all = history.data?.pages.flatMap(({ deployments }) => deployments) ?? []
  const versions = listEarlierVersions(all, deployment)
  return (
    <div className={sheet['choice']}>
      <span aria-hidden="true">Back to</span>
      <Choice
        label="Back to"
        none="The version before"
        options={versions.map(({ id, text }) => ({ value: id, text }))}
        value={versionId ?? null}
        onChange={(next) => onChange(next ?? undefined)}
      />
      <OlderButton list={history} size="small" />
      {history.error !== null && (
        <span className={css['note']}>What it had before could not be read.</span>
      )}
    </div>
  )
}

function Preview({ preview, cohort }: { preview: RollbackPreview; cohort: DeploymentCohort }) {
  const { artifacts, deviceCounts, introduced, removed, restored, wasTaken } = preview
  const returning = countReturns(deviceCounts)
  return (
    <>
      <p>
        {formatCount(returning)} of {formatCountOf(preview.deviceCount, 'device')}{' '}
        {returning === 1 ? 'goes' : 'go'} back to “{restored.name}”, at once and without phases.
      </p>
      <div className={css['marks']}>
        {artifacts.map(({ firmware, firmwareVersion, replaces }) => (
          <span key={firmware.id}>
            {firmware.slug} <code>{replaces?.name ?? 'nothing'}</code> →{' '}
            <code>{firmwareVersion.name}</code>
          </span>
        ))}
      </div>
      <ul className={sheet['groups']} aria-label={`The devices of ${cohort.name}`}>
        {listReturnGroups(preview).map(({ id, count, text, parts }) => (
          <li key={id} className={count === 0 ? sheet['none'] : undefined}>
            <strong>{formatCount(count)}</strong>
            <span>{text}</span>
            {parts !== '' && <small>{parts}</small>}
          </li>
        ))}
      </ul>
      {!wasTaken && (
        <p className={css['note']}>No device of {cohort.name} is known to have run it before.</p>
      )}
      {introduced.count === 0 && <p>No finding comes back.</p>}
      <NetList
        net={introduced}
        title={`${formatCountOf(introduced.count, 'vulnerability', 'vulnerabilities')} come back`}
      />
      {removed.count > 0 && (
        <p className={css['note']}>
          {formatCountOf(removed.count, 'vulnerability', 'vulnerabilities')} of the newer version
          go.
        </p>
      )}
    </>
  )
}

interface ConfirmProps extends RollBackDialogProps {
  /** undefined: it is on its way. */
  preview: RollbackPreview | undefined
  /** The one that was chosen. */
  versionId: string | undefined
}

function Confirm({ preview, versionId, name, cohort, onClose }: ConfirmProps) {
  const workspaceId = useWorkspaceId()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const field = useFocused()
  const asked = useMutation({
    mutationFn: (restores: string) =>
      rollBack(workspaceId, name, { restores, firmwareVersionId: versionId }),
    onSuccess: async ({ id }) => {
      onClose()
      await navigate({
        to: '/w/$workspaceId/deployments/$deploymentCohortId/$deploymentId',
        params: { workspaceId, deploymentCohortId: name.deploymentCohortId, deploymentId: id },
      })
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['deployments', workspaceId] }),
  })
  const isReady = preview !== undefined && typed.trim() === cohort.name
  const send = () => {
    if (isReady) asked.mutate(preview.restored.id)
  }
  return (
    <div className={sheet['foot']}>
      <Form onSubmit={send}>
        <TextInput
          ref={field}
          label={`Type the cohort’s name, ${cohort.name}, to go on`}
          autoComplete="off"
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
        <FormFault error={asked.error} />
        {preview && (
          <p>
            Nothing is told before you press it. To undo, deploy {nameRestored(preview).from} again.
          </p>
        )}
        <FormActs>
          <GoBack />
          <Button type="submit" kind="danger" isBusy={asked.isPending} disabled={!isReady}>
            {preview
              ? `Roll back ${formatCountOf(countReturns(preview.deviceCounts), 'device')}`
              : 'Roll back'}
          </Button>
        </FormActs>
      </Form>
    </div>
  )
}

/** The focus begins in the field, also where it comes after its dialog. */
function useFocused() {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  return field
}
