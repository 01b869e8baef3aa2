/** Values of the API in the words of people, for sentences and for the details of problems. */

/** `NotAssessed`, as people say it: "Not assessed". */
export function formatWords(value: unknown, none = 'nothing'): string {
  if (value === null || value === undefined || value === '') return none
  if (typeof value !== 'string') return JSON.stringify(value)
  if (!/^[A-Za-z]+$/.test(value)) return value
  const lower = value.replaceAll(
    /([a-z])([A-Z])/g,
    (_, end: string, begin: string) => `${end} ${begin.toLowerCase()}`,
  )
  return lower
}

export function lowerWords(value: unknown, none?: string): string {
  const said = formatWords(value, none)
  return said.charAt(0).toLowerCase() + said.slice(1)
}
