/** Devices are delivered. */
import { drawChance } from '../../simulator/chance.ts'
import { PRODUCTS } from '../data/products.ts'
import { createStoryDevices } from './fleet.ts'
import { as, CAST, REGIONS, type Story } from './story.ts'

/** The tags of the regions. */
export const PLACES = { eu: 'eu-west', us: 'us-east', apac: 'apac' } as const

/** How many devices of each kind are in each region. */
const SIZES = {
  gateway: { eu: 90, us: 70, apac: 50 },
  'sensor-node': { eu: 80, us: 60, apac: 40 },
  display: { eu: 30, us: 20, apac: 10 },
} as const
const PREFIXES = { gateway: 'gw', 'sensor-node': 'sn', display: 'dp' } as const
const SLUGS = ['gateway', 'sensor-node', 'display'] as const

/** A part of the devices of each kind is delivered, with the version that its region runs. */
export async function arrive(story: Story, part: { from: number; to: number }): Promise<void> {
  const priya = await as(story, CAST.fleet)
  const arrived = SLUGS.flatMap((slug) =>
    REGIONS.flatMap((region) => {
      const size = SIZES[slug][region]
      const from = Math.round(size * part.from) + 1
      const to = Math.round(size * part.to)
      const version = story.fleet.of(slug, region).at(0)?.version ?? findFirstVersion(slug)
      return createStoryDevices({ slug, prefix: PREFIXES[slug], region, from, to, version })
    }),
  )
  const devices = arrived.map(({ id, slug, region }) => ({
    id,
    tags: [slug, PLACES[region as keyof typeof PLACES]],
    attributes: { hardware: chooseHardware(id), site: chooseSite(id) },
  }))
  await priya.post('/devices/import', { devices })
  await story.fleet.arrive(arrived)
}

const findFirstVersion = (slug: string) =>
  PRODUCTS.find((one) => one.slug === slug)?.versions[0]?.name ?? ''
const chooseHardware = (id: string) => (drawChance(id, 'hardware') < 0.7 ? 'rev-c' : 'rev-b')
const SITES = ['brewery', 'port', 'waterworks', 'depot', 'mill']
const chooseSite = (id: string) =>
  SITES[Math.floor(drawChance(id, 'site') * SITES.length)] ?? 'port'
