/** The marks of firmware versions in all answers that have them, through the API. */
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  type Client,
  givenClient,
  givenFirmwareVersion,
  matchedSboms,
  upload,
} from '../../../../test/given.ts'
import { givenDecision, givenProduct, givenVersion } from '../../../../test/given-findings.ts'
import { toggleExploited } from '../../../../test/given-knowledge.ts'
import { matchChangedPackages } from '../../matching/index.ts'
import type { Severity } from '../../../formats/advisories/model.ts'
import type { Mark } from './mark.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
  await test.ctx.db
    .insertInto('vulnerabilitySources')
    .values({ source: 'nvd', lastSuccessAt: new Date() })
    .execute()
})

interface ShownMark {
  firmware: { id: string }
  mark: Mark & { reasons: { rule: string; verdict: string }[] }
}
const read = async (id: string) => (await client.get(`/firmware-versions/${id}`)).json<ShownMark>()
const sentenceOf = async (id: string) => (await read(id)).mark.sentence

async function given(severity: Severity) {
  const { product, cpes, cveIds } = await givenProduct(test.ctx, [severity])
  const components = [{ packageName: product, version: '1.0', cpes }]
  const version = await givenVersion(test.ctx, client.workspaceId, components)
  return { ...version, vulnerabilityId: cveIds[0] ?? '' }
}

it('follows decisions, and lists that name a vulnerability as exploited', async () => {
  const { vulnerabilityId, ...version } = await given('Critical')
  const id = version.firmwareVersionId
  const sentences = [await sentenceOf(id)]
  await givenDecision(test.ctx, version, { vulnerabilityId, assessment: 'InTriage' })
  sentences.push(await sentenceOf(id))
  await givenDecision(test.ctx, version, { vulnerabilityId, assessment: 'Exploitable' })
  sentences.push(await sentenceOf(id))
  for (const list of ['enisa', 'enisa'] as const) {
    const revision = await toggleExploited(test.ctx.db, vulnerabilityId, list)
    await matchChangedPackages(test.ctx, { revision })
    sentences.push(await sentenceOf(id))
  }

  const clear = 'Clear: nothing undecided of High or above'
  expect(sentences).toEqual([
    'Overloaded: 1 Critical without a decision',
    'Overloaded: 1 Critical without a decision',
    clear,
    'Overloaded: 1 known exploited',
    clear,
  ])
})

it('is never clear while a finding of unknown severity counts', async () => {
  const { vulnerabilityId, ...version } = await given('Unknown')
  const sentences: string[] = []
  const decide = async (decision: object) => {
    await givenDecision(test.ctx, version, { vulnerabilityId, ...decision })
    sentences.push(await sentenceOf(version.firmwareVersionId))
  }

  await decide({ assessment: 'NotAssessed' })
  await decide({ assessment: 'InTriage' })
  await decide({ assessment: 'Exploitable' })
  await decide({ assessment: 'NotAffected' })
  await decide({ assessment: 'NotAssessed', ignored: true })

  const unknown = 'Unknown: 1 finding of unknown severity'
  const clear = 'Clear: nothing undecided of High or above'
  expect(sentences).toEqual([unknown, unknown, unknown, clear, clear])
})

it('is the same in every answer, with its reasons where one version is shown', async () => {
  const { firmwareVersionId: id } = await given('High')
  const { mark, firmware } = await read(id)
  const { reasons, ...shown } = mark
  const listed = (await client.get(`/firmwares/${firmware.id}/versions`)).json<{
    firmwareVersions: object[]
  }>()
  const vulnerable = (await client.get('/vulnerable-firmware-versions')).json<
    { firmwareVersionId: string; mark: Mark }[]
  >()

  expect(mark.sentence).toBe('To decide: 1 High without a decision')
  expect(reasons.filter(({ verdict }) => verdict !== 'Passes')).toMatchObject([
    { rule: 'UndecidedHigh', verdict: 'Warns', count: 1 },
  ])
  expect(listed.firmwareVersions).toMatchObject([{ mark: shown }])
  expect(vulnerable.find(({ firmwareVersionId }) => firmwareVersionId === id)?.mark).toEqual(shown)
})

it('is unknown while an SBOM is read, or when one could not be', async () => {
  const { firmwareVersionId: id, sbomId } = await given('Low')
  const set = async (parsingState: 'InProgress' | 'Failed') => {
    await test.ctx.db.updateTable('sboms').set({ parsingState }).where('id', '=', sbomId).execute()
    return sentenceOf(id)
  }

  expect([await set('InProgress'), await set('Failed')]).toEqual([
    'Unknown: 1 SBOM still being read',
    'Unknown: 1 SBOM could not be read',
  ])
})

it('is unknown where nothing can be told of components', async () => {
  await test.startWorker()
  const firmwareVersionId = await givenFirmwareVersion(client)
  const commit = '351150e3bee8868222e37c0d82770ac83e85be8a'
  const components = [
    { type: 'library', name: 'known', version: '2.0', purl: 'pkg:npm/known@2.0' },
    { type: 'library', name: 'sources', version: commit },
    { type: 'library', name: 'nameless' },
    { type: 'library', name: 'cmake', version: '3.0', scope: 'excluded' },
  ]
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components }
  const files = [{ name: 'image.json', bytes: JSON.stringify(document) }]
  await upload(test, client, { firmwareVersionId, files })
  await matchedSboms(client, firmwareVersionId)

  expect(await sentenceOf(firmwareVersionId)).toBe(
    'Unknown: nothing can be told of 3 of 3 components',
  )
})
