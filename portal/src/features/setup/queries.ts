import { ApiProblem, readFailure } from '@plimsoll/api-client'
import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { api } from '../../api.ts'
import { createSlug } from '../../format/slug.ts'

const OFTEN_MS = 1500

export interface FirstSbom {
  name: string
  versionName: string
  file: File
}

export interface FirstVersion {
  id: string
  slug: string
  name: string
}

/** Firmware, version and SBOM in one act. What is there of an earlier attempt is used. */
export async function sendFirstSbom(
  workspaceId: string,
  { name, versionName, file }: FirstSbom,
): Promise<FirstVersion> {
  const slug = createSlug(name)
  const firmwareId = await firmwareOf(workspaceId, slug, name.trim())
  const id = await versionOf(workspaceId, firmwareId, versionName)
  const response = await fetch(
    `/workspaces/${workspaceId}/firmware-versions/${id}/sboms?fileName=${encodeURIComponent(file.name)}`,
    { method: 'POST', headers: { 'content-type': 'application/octet-stream' }, body: file },
  )
  if (!response.ok) throw await readFailure(response)
  return { id, slug, name: versionName }
}

async function firmwareOf(workspaceId: string, slug: string, name: string): Promise<string> {
  const params = { workspaceId }
  const { firmwares } = await api.get('/workspaces/{workspaceId}/firmwares', { params })
  const known = firmwares.find((firmware) => firmware.slug === slug)
  if (known) return known.id
  const body = { slug, name }
  return (await api.post('/workspaces/{workspaceId}/firmwares', { params, body })).id
}

async function versionOf(workspaceId: string, firmwareId: string, name: string): Promise<string> {
  const params = { workspaceId, firmwareId }
  const path = '/workspaces/{workspaceId}/firmwares/{firmwareId}/versions'
  const { firmwareVersions } = await api.get(path, { params })
  const known = firmwareVersions.find((version) => version.name === name)
  return known ? known.id : (await api.post(path, { params, body: { name } })).id
}

/** The firmware that a first device may say it runs: the newest there is. */
export const someVersionQuery = (workspaceId: string) =>
  queryOptions({
    queryKey: ['firmware', workspaceId, 'some-version'],
    queryFn: async (): Promise<FirstVersion | null> => {
      const { firmwares } = await api.get('/workspaces/{workspaceId}/firmwares', {
        params: { workspaceId },
      })
      const [firmware] = firmwares
      if (!firmware) return null
      const { firmwareVersions } = await api.get(
        '/workspaces/{workspaceId}/firmwares/{firmwareId}/versions',
        { params: { workspaceId, firmwareId: firmware.id } },
      )
      const [version] = firmwareVersions
      return version ? { id: version.id, slug: firmware.slug, name: version.name } : null
    },
  })

export interface FirstDevice {
  deviceId: string
  deviceKey: string
}

/** A device, if it is not there yet, and a key for it. */
export async function admitFirstDevice(
  workspaceId: string,
  deviceId: string,
): Promise<FirstDevice> {
  const params = { workspaceId }
  const body = { id: deviceId }
  await api.post('/workspaces/{workspaceId}/devices', { params, body }).catch((error: unknown) => {
    const isThere = error instanceof ApiProblem && error.problem.status === 409
    if (!isThere) throw error
  })
  const { deviceKey } = await api.post('/workspaces/{workspaceId}/device-keys', {
    params,
    body: { name: deviceId, deviceId },
  })
  return { deviceId, deviceKey }
}

/** Asked again until the device has said what it runs. */
export const firstDeviceQuery = (workspaceId: string, deviceId: string) =>
  queryOptions({
    queryKey: ['devices', workspaceId, deviceId],
    queryFn: () =>
      api.get('/workspaces/{workspaceId}/devices/{deviceId}', {
        params: { workspaceId, deviceId },
      }),
    refetchInterval: ({ state }) => (typeof state.data?.reportedAt === 'string' ? false : OFTEN_MS),
  })

/** Has the overview asked again once a step is done: it tells which steps are. */
export function useOverviewAfter(isDone: boolean, workspaceId: string): void {
  const queryClient = useQueryClient()
  useEffect(() => {
    if (isDone) void queryClient.invalidateQueries({ queryKey: ['overview', workspaceId] })
  }, [isDone, queryClient, workspaceId])
}
