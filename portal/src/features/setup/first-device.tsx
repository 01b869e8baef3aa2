import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Button } from '../../components/button.tsx'
import { Form, FormFault, ShownOnce } from '../../components/form.tsx'
import { Dot } from '../../components/tag.tsx'
import { useForm } from '../../components/use-form.ts'
import { useMay, useWorkspaceId } from '../../session.ts'
import {
  admitFirstDevice,
  type FirstDevice,
  firstDeviceQuery,
  someVersionQuery,
  useOverviewAfter,
} from './queries.ts'
import css from './setup-page.module.css'

export function FirstDeviceStep() {
  const workspaceId = useWorkspaceId()
  const mayWrite = useMay('Devices: write')
  const { save, submit, field } = useForm(
    { id: 'bench-1' },
    { mutationFn: ({ id }) => admitFirstDevice(workspaceId, id) },
  )
  if (!mayWrite) return <p>An engineer, admin or owner admits devices.</p>
  return (
    <>
      <p>
        A device says what it runs by HTTP, MQTT or a hawkBit client such as SWUpdate. Here is one
        to try from your shell, before the first real one.
      </p>
      <Form label="A first device" onSubmit={submit}>
        <div className={css['row']}>
          <TextInput label="Device id" required {...field('id')} />
          <Button type="submit" kind="primary" isBusy={save.isPending}>
            Make its key
          </Button>
        </div>
        <FormFault error={save.error} />
      </Form>
      {save.data && <FirstMessage device={save.data} />}
    </>
  )
}

/** The command, filled in; then it waits and greets. */
function FirstMessage({ device }: { device: FirstDevice }) {
  const workspaceId = useWorkspaceId()
  const { data: version } = useQuery(someVersionQuery(workspaceId))
  if (version === undefined) return null
  const firmware = { slug: version?.slug ?? 'gateway', version: version?.name ?? '1.0.0' }
  return (
    <>
      <ShownOnce text={commandOf(workspaceId, device, firmware)} label="command">
        Its key is in the command and shown this once. Run it:
      </ShownOnce>
      <Greeting deviceId={device.deviceId} />
    </>
  )
}

function Greeting({ deviceId }: { deviceId: string }) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(firstDeviceQuery(workspaceId, deviceId))
  const isHere = data !== undefined && data.reportedAt !== null
  useOverviewAfter(isHere, workspaceId)
  const running = data?.firmware ?? []
  return (
    <div className={css['result']} role="status">
      {isHere ? (
        <>
          <Dot tone="ok">
            <strong>{deviceId} is here.</strong>
          </Dot>
          <p>
            It runs{' '}
            {running.map(({ slug, version }) => `${slug} ${version}`).join(', ') ||
              'nothing it named'}
            .{' '}
            <Link to="/w/$workspaceId" params={{ workspaceId }}>
              See how the fleet stands
            </Link>
          </p>
        </>
      ) : (
        <Dot tone="accent" isHollow>
          Waiting for the first message of {deviceId}…
        </Dot>
      )}
    </div>
  )
}

function commandOf(
  workspaceId: string,
  { deviceId, deviceKey }: FirstDevice,
  firmware: { slug: string; version: string },
): string {
  const body = JSON.stringify({ session: { runId: '1', firmware: [firmware] } })
  const { origin } = globalThis.location
  return `curl ${origin}/device/v1/${workspaceId}/${deviceId}/sync -H 'authorization: Bearer ${deviceKey}' -H 'content-type: application/json' -d '${body.replaceAll("'", "'\\''")}'`
}
