/** What Harbour states of its products: whom a failure harms, until when components get fixes, and which licences may ship. */
import { addDays } from '../../formats/instants.ts'
import { formatDay } from '../../formats/support/states.ts'
import { SUPPORT_FACTS } from '../data/support.ts'
import { PRODUCTS } from '../data/products.ts'
import { as, CAST, getKnownId, REGIONS, type Story } from './story.ts'

/** The list of endoflife.date, as far as the story needs it, on a day. */
export const writeSupportList = (day: string) => ({
  schema_version: '1.2.0',
  generated_at: `${day}T00:00:00+00:00`,
  total: SUPPORT_FACTS.length,
  result: SUPPORT_FACTS.map(({ name, label, identifiers, source, cycles }) => ({
    name,
    label,
    identifiers,
    links: { html: source },
    releases: Object.entries(cycles).map(([cycle, eolFrom]) => ({
      name: cycle,
      label: cycle,
      codename: null,
      isLts: true,
      isEol: eolFrom <= day,
      eolFrom,
      latest: null,
    })),
  })),
})

/** The first day without support: that of their product lines. */
const PROMISED_UNTIL = '2032-01-01'
/** Its product line alone says until when. */
const UNPROMISED = 'display'

/** The kernels end before what buyers were promised. */
export async function statePromises(story: Story): Promise<void> {
  const jonas = await as(story, CAST.firmware)
  for (const { slug } of PRODUCTS.filter((one) => one.slug !== UNPROMISED))
    await jonas.patch(`/firmwares/${getKnownId(story.firmwares, slug)}`, {
      supportEndsOn: PROMISED_UNTIL,
    })
}

/** No device that its owner cannot change may hold GPLv3: readline has it, and leaves with the next gateway. */
export async function stateLicences(story: Story): Promise<void> {
  const ines = await as(story, CAST.security)
  await ines.put('/licence-rules', {
    rules: {
      allow: [],
      deny: ['GPL-3.0-or-later', 'AGPL-3.0-or-later'],
      review: ['LGPL-3.0-only'],
      failOn: ['denied'],
    },
  })
  const priya = await as(story, CAST.fleet)
  await priya.post('/alert-rules', {
    name: 'A licence may not ship',
    type: 'LicenceDenied',
    evaluationFrequency: '1h',
    condition: { outcomes: ['denied'], onlyWhereDevicesRun: false },
  })
}

/** Contracts that no public list has: the days are near, whenever the story is told. */
export async function stateContracts(story: Story): Promise<void> {
  const jonas = await as(story, CAST.firmware)
  const now = story.stage.ctx.now()
  const state = (name: string, more: object) => jonas.post('/support-statements', { name, ...more })
  await state('mosquitto', {
    versionFrom: '2.0.23',
    endsOn: formatDay(addDays(now, 66)),
    note: 'Contract with the maintainer: fixes for the version that we ship',
  })
  await state('libqmi', {
    endsOn: formatDay(addDays(now, 41)),
    note: 'Nordic Modems maintains its branch until then',
  })
  await jonas.post('/alert-rules', {
    name: 'Components leave support',
    type: 'ComponentSupportEnding',
    evaluationFrequency: '1h',
    condition: { daysBefore: 90, onlyWhereDevicesRun: true },
  })
  await jonas.post('/alert-rules', {
    name: 'Products leave support',
    type: 'SupportEnding',
    evaluationFrequency: '1d',
    condition: { daysBefore: 180, onlyWhereDevicesRun: true },
  })
}

/** What the products are for, and which devices can be reached. Nobody has asked the display's buyers whom its failure harms. */
export async function stateUrgency(story: Story): Promise<void> {
  const ines = await as(story, CAST.security)
  const product = (slug: string, missionPrevalence: string, publicWellBeing: string | null) => ({
    firmwareId: getKnownId(story.firmwares, slug),
    missionPrevalence,
    publicWellBeing,
  })
  const cohort = (name: string, exposure: string) => ({
    cohortId: getKnownId(story.cohorts, name),
    exposure,
  })
  await ines.put('/ssvc', {
    tree: 'Fleet',
    manyDevices: 50,
    products: [
      product('gateway', 'Support', 'Material'),
      product('sensor-node', 'Minimal', 'Minimal'),
      product('display', 'Minimal', null),
    ],
    cohorts: [
      cohort('gateway eu', 'Controlled'),
      cohort('gateway us', 'Controlled'),
      cohort('gateway apac', 'Open'),
      ...REGIONS.map((region) => cohort(`sensor-node ${region}`, 'Small')),
      cohort('display all', 'Small'),
    ],
  })
}
