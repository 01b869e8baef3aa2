/** What lists of a workspace answer while its firmware versions are deleted. */
import { expect, it } from 'vitest'
import { sharedTestApp } from '../../../../test/app.ts'
import { givenClient } from '../../../../test/given.ts'
import { cpeOf, givenProduct, givenVersion } from '../../../../test/given-findings.ts'

const ROUNDS = 12
const READERS = 3

it.each(['vulnerability-findings/list', 'vulnerability-findings/export'])(
  '%s leaves out what is gone',
  async (path) => {
    const service = await sharedTestApp()
    const client = await givenClient(service)
    const product = await givenProduct(service.ctx, ['Low', 'Critical', 'High'])
    const given = (version: string) => {
      const cpes = [cpeOf(product.product, version)]
      return givenVersion(service.ctx, client.workspaceId, [
        { packageName: product.product, version, cpes },
      ])
    }
    const refused: string[] = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const versions = await Promise.all(['1.0', '2.0'].map(given))
      const deleting = Promise.all(
        versions.map(async ({ firmwareVersionId }) =>
          client.delete(`/firmware-versions/${firmwareVersionId}`),
        ),
      )
      const finished = new AbortController()
      const reading = Promise.all(
        Array.from({ length: READERS }, async () => {
          while (!finished.signal.aborted) {
            const answer = await client.post(`/${path}`, { sortColumn: 'CvssScore' })
            if (answer.statusCode !== 200) refused.push(answer.body)
          }
        }),
      )
      const deleted = await deleting
      finished.abort()
      await reading
      expect(deleted.map(({ statusCode }) => statusCode)).toEqual([204, 204])
    }
    expect(refused).toEqual([])
  },
)
