/** What the form of a product line holds, and what is sent of it. */
import type { BodyOf, ProductLine } from '@plimsoll/api-client'

/** Empty texts: nobody has said. */
export interface LineValues {
  name: string
  manufacturer: string
  role: ProductLine['role']
  productClass: ProductLine['productClass']
  category: string
  memberStates: ProductLine['memberStates']
  coordinatorState: ProductLine['coordinatorState']
  timeZone: string
  firstPlacedOn: string
  supportEndsIn: string
  expectedUseYears: string | number
  expectedUseReason: string
  contact: string
  firmwareIds: string[]
}

type LineBody = Required<BodyOf<'createProductLine'>>

/** A new line is in the zone of whoever makes it. */
export const beginLine = (firmware: { id: string; name: string } | undefined): LineValues => ({
  name: firmware?.name ?? '',
  manufacturer: '',
  role: 'Manufacturer',
  productClass: 'Default',
  category: '',
  memberStates: [],
  coordinatorState: null,
  timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
  firstPlacedOn: '',
  supportEndsIn: '',
  expectedUseYears: '',
  expectedUseReason: '',
  contact: '',
  firmwareIds: firmware ? [firmware.id] : [],
})

const TEXTS = [
  'category',
  'firstPlacedOn',
  'supportEndsIn',
  'expectedUseReason',
  'contact',
] as const

/** What the service answers beside what people write stays out. */
export function readLine(line: ProductLine): LineValues {
  const { id: _id, firmwares: _firmwares, createdAt: _created, updatedAt: _updated, ...said } = line
  const texts = Object.fromEntries(TEXTS.map((name) => [name, line[name] ?? ''])) as Record<
    (typeof TEXTS)[number],
    string
  >
  return { ...said, ...texts, expectedUseYears: line.expectedUseYears ?? '' }
}

const said = (text: string) => (text.trim() === '' ? null : text.trim())

export function writeLine(values: LineValues): LineBody {
  const { expectedUseYears, ...others } = values
  return {
    ...others,
    name: values.name.trim(),
    manufacturer: values.manufacturer.trim(),
    timeZone: values.timeZone.trim(),
    category: said(values.category),
    firstPlacedOn: said(values.firstPlacedOn),
    supportEndsIn: said(values.supportEndsIn),
    expectedUseYears: expectedUseYears === '' ? null : Number(expectedUseYears),
    expectedUseReason: said(values.expectedUseReason),
    contact: said(values.contact),
  }
}

/** What a report or a clock will ask for and nobody has said, in words. */
export function listUnknown(line: ProductLine): string[] {
  const { memberStates, coordinatorState, supportEndsIn, category, firstPlacedOn, firmwares } = line
  const unknown: [boolean, string][] = [
    [memberStates.length === 0, 'Member States'],
    [coordinatorState === null, 'coordinator'],
    [supportEndsIn === null, 'end of support'],
    [category === null, 'category'],
    [firstPlacedOn === null, 'first placed on the market'],
    [firmwares.length === 0, 'firmware'],
  ]
  return unknown.flatMap(([isUnknown, name]) => (isUnknown ? [name] : []))
}

/** The month itself still belongs to the support period. Months are those of UTC. */
export const isSupportOver = (supportEndsIn: string, now = new Date()): boolean =>
  supportEndsIn < now.toISOString().slice(0, 7)

const SOON_DAYS = 180
const DAY_MS = 86_400_000

/** Whole days until the first one without support, where they are few; undefined: they are many, or support is over. */
export function countLastDays(supportEndsIn: string, now = new Date()): number | undefined {
  const [year = 0, month = 0] = supportEndsIn.split('-').map(Number)
  const today = Math.floor(now.getTime() / DAY_MS)
  const days = Date.UTC(year, month, 1) / DAY_MS - today
  return days > 0 && days <= SOON_DAYS ? days : undefined
}
