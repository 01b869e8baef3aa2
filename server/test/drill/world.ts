/** What the load of a drill needs to be there. */
import { confirmAsOperator } from '../../src/features/notification-targets/index.ts'
import { TESTER } from './installation.ts'
import { call, type World } from './load.ts'

async function made<Body>(answer: ReturnType<typeof call<Body>>): Promise<Body> {
  const given = await answer
  if (given?.status !== 201) throw new Error(`not made: ${JSON.stringify(given)}`)
  return given.body
}

type StartedWorld = Pick<World, 'installation' | 'keys'>

async function givenVersion(of: StartedWorld, firmwareId: string, name: string): Promise<string> {
  const path = `/firmwares/${firmwareId}/versions`
  const { id } = await made(call<{ id: string }>(of, 'POST', path, { name }))
  const { workspaceId, apiKey } = of.keys
  const address = `/workspaces/${workspaceId}/firmware-versions/${id}/artifact`
  await fetch(`${of.installation.service.url}${address}`, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/octet-stream',
    },
    body: `binary of ${name}`,
  })
  return id
}

const ON_CALL = 'on-call@example.com'

/** Whom alert rules notify: an address and a webhook. */
async function givenTargets(of: StartedWorld): Promise<string[]> {
  const { workspaceId } = of.keys
  const { beside, gates } = of.installation
  const target = { name: 'On call', type: 'Email', state: 'Enabled', emailAddresses: [ON_CALL] }
  const mailed = await made(call<{ id: string }>(of, 'POST', '/notification-targets', target))
  await beside((ctx) =>
    confirmAsOperator(ctx, { workspaceId, emailAddress: ON_CALL, actor: TESTER }),
  )
  const url = `http://127.0.0.1:${gates.webhooks.port}/`
  const called = await made(call<{ id: string }>(of, 'POST', '/webhooks', { name: 'Chat', url }))
  return [mailed.id, called.id]
}

/** Devices of the broker, firmware versions to upload to, a cohort, and whom rules notify. */
export async function givenWorld(
  of: Pick<World, 'installation' | 'keys' | 'stopping' | 'mqttDevices' | 'pauseMs'>,
  versions: number,
): Promise<World> {
  for (const { deviceId: id } of of.mqttDevices ?? [])
    await made(call(of, 'POST', '/devices', { id }))
  const firmware = await made(call<{ id: string }>(of, 'POST', '/firmwares', { slug: 'drill' }))
  const firmwareVersionIds: string[] = []
  for (let number = 1; number <= versions; number += 1)
    firmwareVersionIds.push(await givenVersion(of, firmware.id, String(number)))
  const movingVersionId = await givenVersion(of, firmware.id, 'main')
  const cohort = { name: 'all', tagRule: null }
  const { id: cohortId } = await made(
    call<{ id: string }>(of, 'POST', '/deployment-cohorts', cohort),
  )
  return { ...of, firmwareVersionIds, movingVersionId, cohortId, targetIds: await givenTargets(of) }
}
