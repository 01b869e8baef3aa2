/** Which devices a cohort has, and why; some can be picked by hand, or left to the tag rules again. */
import type { DeploymentCohort, DeploymentCohortDevice } from '@plimsoll/api-client'
import { TagsInput } from '@mantine/core'
import { useDebouncedValue, useDisclosure } from '@mantine/hooks'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { CohortMoves } from '../../components/cohort-moves.tsx'
import type { Column } from '../../components/data-table.tsx'
import { useFormAct } from '../../components/form-act.ts'
import { ListedTable } from '../../components/listed-table.tsx'
import { ListPanel, loadNextPage } from '../../components/list-panel.tsx'
import { moveDevices, useMoveAct } from '../../components/move-devices.ts'
import { Command, CommandDialog, usePreview } from '../../components/previewed-command.tsx'
import { Empty } from '../../components/states.tsx'
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
          onOpen={({ id }, go) =>
            go({
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
      {isOpen && (
        <CommandDialog title={`Leave ${deviceId} to the tag rules`} onClose={dialog.close}>
          <MoveForm
            deviceIds={[deviceId]}
            cohortId={null}
            button="Leave to tags"
            none="It stays in this cohort: the rule chooses it, too."
            onMoved={dialog.close}
          />
        </CommandDialog>
      )}
    </span>
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
  const workspaceId = useWorkspaceId()
  const target = { deviceIds: [...deviceIds] }
  const ask = (dryRun: boolean) => moveDevices(workspaceId, { target, cohortId, dryRun })
  const { preview, data } = usePreview(
    ['cohort', deviceIds, cohortId],
    deviceIds.length === 0 ? undefined : ask,
  )
  const move = useMoveAct()
  const act = useFormAct(onMoved)
  const submit = () =>
    act.send((form) => move({ form, target, cohortId, count: deviceIds.length, cohortName }))
  return (
    <Command
      {...{ preview, act }}
      onSubmit={submit}
      button={button}
      isReady={data !== undefined && preview.error === null}
      outcome={data && <CohortMoves moves={data.moves} none={none} />}
    >
      {children}
    </Command>
  )
}
