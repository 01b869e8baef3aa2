/** Counts in texts that people read. */
const NUMBERS = new Intl.NumberFormat('en')

/** "1,204" */
export const formatNumber = (count: number): string => NUMBERS.format(count)

/** "1 device", "1,204 devices" */
export const formatCountOf = (count: number, one: string, many = `${one}s`): string =>
  `${formatNumber(count)} ${count === 1 ? one : many}`
