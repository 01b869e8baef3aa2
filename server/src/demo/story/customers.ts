/** Two ports that run gateways of Harbour Instruments see their own by links, and everybody finds what is said of the gateway. */
import { as, CAST, getKnownId, type Scene, type Story } from './story.ts'

interface Created {
  id: string
}

const CUSTOMERS = [
  { name: 'Port of Hammerfjord', cohort: 'gateway eu', email: 'it-security@hammerfjord.example' },
  { name: 'Bay Terminals', cohort: 'gateway us', email: 'ot@bay-terminals.example' },
] as const

export function showCustomers(on: (day: string, hour: number, play: Scene['play']) => Scene) {
  return [
    on('2026-09-14', 10, createCustomers),
    on('2026-09-14', 11, async (story) => {
      const mara = await as(story, CAST.owner)
      const firmwareId = getKnownId(story.firmwares, 'gateway')
      const address = { name: 'Gateway, for everybody', firmwareId, isPublic: true }
      await mara.post('/standing-addresses', { ...address, documents: ['Vex', 'Support'] })
    }),
  ]
}

async function createCustomers(story: Story): Promise<void> {
  const mara = await as(story, CAST.owner)
  for (const { name, cohort, email } of CUSTOMERS) {
    const cohortIds = [getKnownId(story.cohorts, cohort)]
    const contacts = [{ email, name: null }]
    const { id } = await mara.post<Created>('/customers', { name, cohortIds, contacts })
    await mara.post(`/customers/${id}/links`, { name: 'Security desk' })
  }
}
