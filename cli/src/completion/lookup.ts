/** Names that only the service, or the file of profiles, knows. It is asked once, and not for long. */
import { createApiClient } from '../../../api-client/src/index.ts'
import { findConnection } from '../connection.ts'
import { findFirmware } from '../firmware-version.ts'
import { listCohorts } from '../named.ts'
import { readProfiles } from '../profiles.ts'
import type { Session } from '../session.ts'
import type { Candidate } from './next-word.ts'

type StatedOptions = Readonly<Record<string, string>>
type Lookup = (session: Session, stated: StatedOptions) => Promise<Candidate[]>

const WITHIN_MS = 1500
const MOST_DEVICES = 200

const LOOKUPS: Readonly<Record<string, Lookup>> = {
  firmware: listFirmwares,
  cohort: async (session) =>
    (await listCohorts(session)).map(({ name }) => ({ value: name, description: '' })),
  device: listDevices,
  version: listVersions,
  older: listVersions,
  newer: listVersions,
}

/** What is not to be had is not completed. */
export async function lookUp(what: string, stated: StatedOptions): Promise<Candidate[]> {
  if (what === 'profile')
    return (await readProfiles()).profiles.map(({ name, url }) => ({
      value: name,
      description: url,
    }))
  const find = LOOKUPS[what]
  const session = find && (await openShortly(stated))
  return session ? find(session, stated) : []
}

async function openShortly(stated: StatedOptions): Promise<Session | undefined> {
  const { url, profile, workspace } = stated
  const given = {
    ...(url && { url }),
    ...(profile && { profile }),
    ...(workspace && { workspace }),
  }
  const { apiKey, baseUrl, workspaceId } = await findConnection(given)
  if (apiKey === undefined) return undefined
  const signal = AbortSignal.timeout(WITHIN_MS)
  const client = createApiClient({
    baseUrl,
    apiKey,
    fetch: (address, init) => fetch(address, { ...init, signal }),
  })
  const whoAmI = () => client.get('/whoami', {})
  const workspaceOf = async () => workspaceId ?? (await whoAmI()).workspaceId
  return { client, baseUrl, apiKey, whoAmI, workspaceId: await workspaceOf() }
}

async function listFirmwares({ client, workspaceId }: Session): Promise<Candidate[]> {
  const path = '/workspaces/{workspaceId}/firmwares'
  const { firmwares } = await client.get(path, { params: { workspaceId } })
  return firmwares.map(({ slug, name }) => ({ value: slug, description: name }))
}

async function listDevices({ client, workspaceId }: Session): Promise<Candidate[]> {
  const { devices } = await client.post('/workspaces/{workspaceId}/devices/list', {
    params: { workspaceId },
    body: { limit: MOST_DEVICES },
  })
  return devices.map(({ id }) => ({ value: id, description: '' }))
}

/** Names alone where --firmware says of what; else `slug@name`. */
async function listVersions(
  session: Session,
  { firmware: slug }: StatedOptions,
): Promise<Candidate[]> {
  if (slug !== undefined) return listNames(session, slug, '')
  const slugs = await listFirmwares(session)
  const all = slugs
    .slice(0, MOST_FIRMWARES)
    .map(({ value }) => listNames(session, value, `${value}@`))
  return (await Promise.all(all)).flat()
}

const MOST_FIRMWARES = 10

async function listNames(session: Session, slug: string, before: string): Promise<Candidate[]> {
  const { client, workspaceId } = session
  const firmware = await findFirmware(session, slug)
  if (!firmware) return []
  const { firmwareVersions } = await client.get(
    '/workspaces/{workspaceId}/firmwares/{firmwareId}/versions',
    { params: { workspaceId, firmwareId: firmware.id } },
  )
  return firmwareVersions.map(({ name }) => ({ value: before + name, description: '' }))
}
