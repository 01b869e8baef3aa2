import { expect, it } from 'vitest'
import { findFaults } from './find-faults.ts'

const SLICE = 'server/src/features/pumps'

const findIn = (text: string) => findFaults(new Map([['cli/src/pump.ts', text]]))

it.each`
  text                                              | fault
  ${'export interface Asked { id: string }'}        | ${'type Asked is a bare participle'}
  ${'export type Held = string'}                    | ${'type Held is a bare participle'}
  ${'export type Waiting = string'}                 | ${'type Waiting is a bare participle'}
  ${'export class Sent {}'}                         | ${'type Sent is a bare participle'}
  ${'export function nameOf() {}'}                  | ${'function nameOf has no verb'}
  ${'export function partsOf() {}'}                 | ${'function partsOf has no verb'}
  ${'export const shown = () => 1'}                 | ${'function shown has no verb'}
  ${'export async function rows() {}'}              | ${'function rows has no verb'}
  ${'export type FindingFilter = string'}           | ${undefined}
  ${'export type Finding = string'}                 | ${undefined}
  ${'export const LIMIT = 1'}                       | ${undefined}
  ${'export function listParts() {}'}               | ${undefined}
  ${'export const isShown = () => true'}            | ${undefined}
  ${'export const Page = () => null'}               | ${undefined}
  ${'export const pumpsQuery = () => null'}         | ${undefined}
  ${'export function gone(): AppError { throw 1 }'} | ${undefined}
  ${'function parts() {}\ninterface Asked {}'}      | ${undefined}
`('finds $fault in $text', ({ text, fault }: { text: string; fault: string | undefined }) => {
  expect(findIn(text)).toEqual(fault === undefined ? [] : [`cli/src/pump.ts: ${fault}`])
})

it('finds a slice of more than 35 files', () => {
  const files = Array.from(
    { length: 36 },
    (_, index) => [`${SLICE}/parts/store-${index}/store.ts`, ''] as const,
  )

  expect(findFaults(new Map(files))).toEqual(['slice pumps: more than 35 files'])
  expect(findFaults(new Map(files.slice(1)))).toEqual([])
})

it('finds a small file of a slice that one other imports, unless its name has a role', () => {
  const sources = new Map([
    [`${SLICE}/speed.ts`, 'export const SPEED = 1\n'],
    [`${SLICE}/store.ts`, "import { SPEED } from './speed.ts'\n"],
    [`${SLICE}/service.ts`, "import { readPump } from './store.ts'\n"],
  ])
  const fault = `${SLICE}/speed.ts: under 30 lines with one importer`

  expect(findFaults(sources)).toEqual([fault])
  expect(findFaults(new Map([...sources, [`${SLICE}/jobs.ts`, "import './speed.ts'"]]))).toEqual([])
  expect(
    findFaults(new Map([...sources, [`${SLICE}/speed.ts`, '\n\n'.repeat(30) + 'export {}']])),
  ).toEqual([])
})
