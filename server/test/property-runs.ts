/** How many random cases the property tests try: `npm run test:deep` tries all of them. */
const FEWEST = 20

export const isDeep = process.env['PLIMSOLL_TEST_DEEP'] === '1'

/** A quarter of the full number, but at least `fewest`. Tests whose every case is a long scenario give a small one. */
export function propertyRuns(full: number, fewest = FEWEST): number {
  return isDeep ? full : Math.min(full, Math.max(fewest, Math.ceil(full / 4)))
}
