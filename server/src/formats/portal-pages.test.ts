import { expect, it } from 'vitest'
import { readFileSync } from 'node:fs'
import {
  PORTAL_PAGES,
  formatPortalPath,
  findPortalPath,
  listPortalTemplates,
} from './portal-pages.ts'

const workspaceId = '0198cf00-0000-7000-8000-000000000001'

it('writes ids into the address of a page, whatever they hold', () => {
  expect(formatPortalPath('overview', { workspaceId })).toBe(`/w/${workspaceId}`)
  expect(formatPortalPath('device', { workspaceId, deviceId: 'a/b?c' })).toBe(
    `/w/${workspaceId}/devices/a%2Fb%3Fc`,
  )
  expect(formatPortalPath('incident', { workspaceId, incidentId: 'i' })).toBe(
    `/w/${workspaceId}/alerts/incidents/i`,
  )
})

it('gives templates that scripts fill in', () => {
  expect(listPortalTemplates('https://plimsoll.example', workspaceId).deployment).toBe(
    `https://plimsoll.example/w/${workspaceId}/deployments/{deploymentCohortId}/{deploymentId}`,
  )
})

it('finds the page of what a route names: the innermost one', () => {
  const cohort = { workspaceId, deploymentCohortId: 'c' }

  expect(findPortalPath({ ...cohort, deploymentId: 'd' })).toBe(`/w/${workspaceId}/deployments/c/d`)
  expect(findPortalPath(cohort)).toBe(`/w/${workspaceId}/deployments/c`)
  expect(findPortalPath({ workspaceId })).toBeUndefined()
  expect(findPortalPath({ deviceId: 'd' })).toBeUndefined()
})

it('names pages that the portal has', () => {
  const source = readFileSync(new URL('../../../portal/src/routes.tsx', import.meta.url), 'utf8')
  const routes = [...source.matchAll(/page\('([^']+)'\)/g)].map(([, path = '']) => path)
  const shapeOf = (path: string) => path.replaceAll(/\$\w+/g, '*')
  const shapes = new Set(routes.map(shapeOf))

  const named = PORTAL_PAGES.map((page) => {
    const template = listPortalTemplates('', 'w')[page].replace('/w/w', '') || '/'
    return shapeOf(template.replaceAll(/\{\w+\}/g, '*').replace(/\?.*/, ''))
  })

  const parts = new Set(['/settings/sources', '/settings/trusted-keys', '/settings/api-keys'])
  for (const path of named.filter((one) => !parts.has(one))) expect(shapes).toContain(path)
  expect(shapes).toContain('/settings/*')
})
