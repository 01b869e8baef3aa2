/** How many random cases the property tests try: `npm run test:deep` tries all of them. */
const FEWEST = 20

const isDeep = process.env['PLIMSOLL_TEST_DEEP'] === '1'

/** A quarter of the full number, though not fewer than 20 unless the full number is smaller. */
export function propertyRuns(full: number): number {
  return isDeep ? full : Math.min(full, Math.max(FEWEST, Math.ceil(full / 4)))
}
