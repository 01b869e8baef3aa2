/** Which devices a cohort has, and why; some can be picked by hand, or left to the tag rules again. */
import type { DeploymentCohort, DeploymentCohortDevice } from '@plimsoll/api-client'
import { TagsInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CohortMoves } from '../../components/cohort-moves.tsx'
import type { Column } from '../../components/data-table.tsx'
import { ListedTable } from '../../components/listed-table.tsx'
import { Form, FormActs } from '../../components/form.tsx'
import { ListPanel, loadNextPage } from '../../components/list-panel.tsx'
import { moveDevices, useMoveAct } from '../../components/move-devices.ts'
import { useReturnedFocus } from '../../components/return-focus.ts'
import { Empty, describeFailure } from '../../components/states.tsx'
import { Tag } from '../../components/tag.tsx'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import { membersQuery } from './queries.ts'

const COLUMNS: readonly Column<DeploymentCohortDevice>[] = [
  {
    id: 'device',
    title: 'Device',
    width: 'minmax(0, 1fr)',
    cell: ({ id }) => <code>{id}</code>,
  },
  {
    id: 'how',
    title: 'Belongs to it',
    width: '160px',
    cell: ({ byRule }) => (byRule ? 'by its tags' : <Tag tone="accent">picked by hand</Tag>),
  },
]

export function CohortMembers({ cohort }: { cohort: DeploymentCohort }) {
  const workspaceId = useWorkspaceId()
  const navigate = useNavigate()
  const mayWrite = useMay('Deployments: write')
  const members = useInfiniteQuery(membersQuery(workspaceId, cohort.id))
  const act: Column<DeploymentCohortDevice> = {
    id: 'act',
    title: 'Change',
    width: '130px',
    cell: ({ id, byRule }) => !byRule && <LeaveToTags deviceId={id} />,
  }
  return (
    <ListPanel
      query={members}
      rows={members.data?.pages.flatMap((page) => page.devices)}
      loadingRows={3}
      title="Devices"
      note={formatCount(cohort.deviceCount)}
      aside={
        <>
          <Link
            to="/w/$workspaceId/devices"
            params={{ workspaceId }}
            search={{ cohort: cohort.id }}
          >
            Open as a list
          </Link>
          {mayWrite && <PickDevices cohort={cohort} />}
        </>
      }
      empty={
        <Empty title="No device belongs to it">
          Pick devices by hand, or give the cohort a rule over tags: Change…
        </Empty>
      }
    >
      {(rows) => (
        <ListedTable
          list="cohort-devices"
          csv={{
            path: `/workspaces/${workspaceId}/devices/export`,
            body: { filter: { cohortIds: [cohort.id] } },
          }}
          label="Devices of this cohort"
          columns={mayWrite ? [...COLUMNS, act] : COLUMNS}
          rows={rows}
          totalCount={cohort.deviceCount}
          keyOf={({ id }) => id}
          onOpen={({ id }) =>
            void navigate({
              to: '/w/$workspaceId/devices/$deviceId',
              params: { workspaceId, deviceId: id },
            })
          }
          onEnd={() => loadNextPage(members)}
        />
      )}
    </ListPanel>
  )
}

/** What a move would do. Ids that are not whole yet are asked for a moment later. */
function useMovePreview(deviceIds: readonly string[], cohortId: string | null) {
  const workspaceId = useWorkspaceId()
  return useQuery({
    queryKey: ['device-bulk', workspaceId, 'cohort', deviceIds, cohortId],
    queryFn: () =>
      moveDevices(workspaceId, { target: { deviceIds: [...deviceIds] }, cohortId, dryRun: true }),
    enabled: deviceIds.length > 0,
    staleTime: 0,
    retry: false,
  })
}

function LeaveToTags({ deviceId }: { deviceId: string }) {
  const [isOpen, dialog] = useDisclosure(false)
  return (
    // The row leads to the device.
    <span onClick={(event) => event.stopPropagation()} role="presentation">
      <Button
        size="small"
        kind="quiet"
        aria-haspopup="dialog"
        onClick={dialog.open}
        aria-label={`Leave ${deviceId} to tags`}
      >
        Leave to tags…
      </Button>
      {isOpen && <LeaveDialog deviceId={deviceId} onClose={dialog.close} />}
    </span>
  )
}

function LeaveDialog({ deviceId, onClose }: { deviceId: string; onClose: () => void }) {
  useReturnedFocus()
  return (
    <Dialog opened onClose={onClose} title={`Leave ${deviceId} to the tag rules`}>
      <MoveForm
        deviceIds={[deviceId]}
        cohortId={null}
        button="Leave to tags"
        none="It stays in this cohort: the rule chooses it, too."
        onMoved={onClose}
      />
    </Dialog>
  )
}

const TYPING_MS = 300

function PickDevices({ cohort }: { cohort: DeploymentCohort }) {
  const [isOpen, dialog] = useDisclosure(false)
  const [deviceIds, setDeviceIds] = useState<string[]>([])
  const [asked] = useDebouncedValue(deviceIds, TYPING_MS)
  const close = () => {
    dialog.close()
    setDeviceIds([])
  }
  return (
    <>
      <Button size="small" aria-haspopup="dialog" onClick={dialog.open}>
        Pick devices…
      </Button>
      <Dialog opened={isOpen} onClose={close} title={`Pick devices for ${cohort.name}`}>
        <MoveForm
          deviceIds={asked}
          cohortId={cohort.id}
          cohortName={cohort.name}
          button={`Move ${formatCountOf(asked.length, 'device')}`}
          none="None of them changes its cohort; they are picked by hand from now on."
          onMoved={close}
        >
          <TagsInput
            label="Devices"
            description="Ids, one after the other or pasted as a list. They stay here whatever their tags say."
            data-autofocus
            splitChars={[',', ' ', '\n', '\t']}
            value={deviceIds}
            onChange={setDeviceIds}
          />
        </MoveForm>
      </Dialog>
    </>
  )
}

interface MoveFormProps {
  deviceIds: readonly string[]
  cohortId: string | null
  cohortName?: string
  button: string
  /** What stands there where no device moves. */
  none: string
  onMoved: () => void
  /** What it asks for. */
  children?: ReactNode
}

/** Says what will happen before it is asked for. */
function MoveForm(props: MoveFormProps) {
  const { deviceIds, cohortId, cohortName, button, none, onMoved, children } = props
  const preview = useMovePreview(deviceIds, cohortId)
  const move = useMoveAct()
  const submit = () => {
    move({ target: { deviceIds: [...deviceIds] }, cohortId, count: deviceIds.length, cohortName })
    onMoved()
  }
  return (
    <Form onSubmit={submit}>
      {children}
      <div role="status">
        {preview.isFetching && 'Counting…'}
        {preview.data && !preview.isFetching && (
          <CohortMoves moves={preview.data.moves} none={none} />
        )}
        {preview.error !== null && !preview.isFetching && describeFailure(preview.error)}
      </div>
      <FormActs>
        <Button
          type="submit"
          kind="primary"
          disabled={preview.data === undefined || preview.error !== null}
        >
          {button}
        </Button>
      </FormActs>
    </Form>
  )
}
