/** The portal in the system's Chromium over the real service: one service and one browser, and a workspace for each part. */
import { afterAll, beforeAll, describe } from 'vitest'
import { hasBrowser } from './browser.ts'
import { acceptedRisks } from './accepted-risks.ts'
import { alerts } from './alerts.ts'
import { auditLog } from './audit-log.ts'
import { advisories } from './advisories.ts'
import { cases } from './cases.ts'
import { chain } from './chain.ts'
import { figures } from './figures.ts'
import { fleet } from './fleet.ts'
import { discussion } from './discussion.ts'
import { forms } from './forms.ts'
import { journeys } from './journeys.ts'
import { keys } from './keys.ts'
import { licences } from './licences.ts'
import { support } from './support.ts'
import { links } from './links.ts'
import { lists } from './lists.ts'
import { mainJob } from './main-job.ts'
import { opened } from './opened.ts'
import { people } from './people.ts'
import { type RunningPortal, start } from './running.ts'
import { proposals } from './proposals.ts'
import { rollOuts } from './roll-outs.ts'
import { sbomGrades } from './sbom-grades.ts'
import { tabs } from './tabs.ts'
import { ways } from './ways.ts'
import { wrongFields } from './wrong-fields.ts'

describe.skipIf(!hasBrowser)('the portal', () => {
  let running: RunningPortal
  beforeAll(async () => {
    running = await start()
  })
  afterAll(async () => {
    await running.browser.close()
    await running.service.stop()
  })

  describe('journeys', () => journeys(() => running))
  describe('keys', () => keys(() => running))
  describe('main job', () => mainJob(() => running))
  describe('forms', () => forms(() => running))
  describe('wrong fields', () => wrongFields(() => running))
  describe('links', () => links(() => running))
  describe('lists', () => lists(() => running))
  describe('audit log', () => auditLog(() => running))
  describe('discussion', () => discussion(() => running))
  describe('people', () => people(() => running))
  describe('alerts', () => alerts(() => running))
  describe('fleet', () => fleet(() => running))
  describe('roll-outs', () => rollOuts(() => running))
  describe('opened', () => opened(() => running))
  describe('ways', () => ways(() => running))
  describe('SBOM grades', () => sbomGrades(() => running))
  describe('licences', () => licences(() => running))
  describe('support', () => support(() => running))
  describe('figures', () => figures(() => running))
  describe('accepted risks', () => acceptedRisks(() => running))
  describe('chain', () => chain(() => running))
  describe('cases', () => cases(() => running))
  describe('advisories', () => advisories(() => running))
  describe('proposals', () => proposals(() => running))
  describe('tabs', () => tabs(() => running))
})
