/** Matches that begin take decisions up with their packages locked; whoever works on the firmware version waits for it. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenProduct, givenVersion } from '../../../test/given-findings.ts'
import { affectedIn, givenAdvisory } from '../../../test/given-knowledge.ts'
import { waitForLocks } from '../../../test/lock-waits.ts'
import type { Reactions } from '../../platform/context.ts'
import { newId } from '../../platform/ids.ts'
import { recordLockedDecisions } from './service.ts'
import { matchChangedPackages } from '../matching/index.ts'

let service: TestApp
let client: Client
beforeAll(async () => {
  service = await startTestApp()
  client = await givenClient(service)
})

/** A firmware version with a finding; another of the same package begins, and is decided while a request waits. */
async function whileAnotherBegins(
  request: (path: { version: string; finding: string }) => PromiseLike<unknown>,
) {
  const { ctx } = service
  const { workspaceId } = client
  const { product, cpes } = await givenProduct(ctx, ['High'])
  const components = [{ packageName: product, version: '1.0', cpes }]
  const { firmwareVersionId } = await givenVersion(ctx, workspaceId, components)
  const version = `/firmware-versions/${firmwareVersionId}`
  const list = await client.post(`${version}/vulnerability-findings/list`, {})
  const [first] = list.json<{ findings: { id: string }[] }>().findings
  const finding = `/vulnerability-findings/${first?.id ?? ''}`
  const affected = [affectedIn(`cpe:acme:${product}`, [{ fixed: '2.0' }])]
  const revision = await givenAdvisory(ctx.db, { id: `CVE-2025-${newId()}`, affected })
  let answer: Promise<unknown> | undefined
  const reactions: Reactions = {
    ...ctx.reactions,
    findingsBegun: async (_ctx, tx, findings) => {
      await ctx.reactions.findingsBegun(ctx, tx, findings)
      if (!('packageIds' in findings)) return
      answer = Promise.resolve(request({ version, finding }))
      await waitForLocks(service.ctx)
      const decisions = findings.packageIds.map((packageId, index) => ({
        firmwareVersionId,
        packageId,
        vulnerabilityId: findings.vulnerabilityIds[index] ?? '',
        assessment: 'InTriage' as const,
        source: 'Vex' as const,
        createdByEmail: null,
      }))
      await recordLockedDecisions(ctx, tx, { workspaceId, decisions })
    },
  }
  await matchChangedPackages({ ...ctx, reactions }, { revision })
  return answer
}

it('lets a person assess another finding of the package meanwhile', async () => {
  const answer = await whileAnotherBegins(({ finding }) =>
    client.post(`${finding}/assessments`, { assessment: 'Exploitable' }),
  )

  expect(answer).toMatchObject({ statusCode: 200 })
})

it('lets the firmware version be deleted', async () => {
  const answer = await whileAnotherBegins(({ version }) => client.delete(version))

  expect(answer).toMatchObject({ statusCode: 204 })
})

it('lets the firmware be deleted with its versions', async () => {
  const answer = await whileAnotherBegins(async ({ version }) => {
    const { firmware } = (await client.get(version)).json<{ firmware: { id: string } }>()
    return client.delete(`/firmwares/${firmware.id}`)
  })

  expect(answer).toMatchObject({ statusCode: 204 })
})
