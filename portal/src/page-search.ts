/** The search of an address: which parameters a page has, what each may be, and what people read of those that filter. */

interface SearchParam<Value extends string> {
  /** undefined: the address has none, or one that this page does not know. */
  read: (given: string) => Value | undefined
  /** What people read of the filter, to drop it by. What only orders or opens something has no such words. */
  words?: (value: string) => string
}

type Shape = Readonly<Record<string, SearchParam<string>>>
type ValueOf<Param> = Param extends SearchParam<infer Value> ? Value : never
type Values<S extends Shape> = { [Name in keyof S]?: ValueOf<S[Name]> | undefined }

export interface PageSearch<S extends Shape> {
  /** For the router: each parameter is there, as far as it can be read. */
  parse: (given: Readonly<Record<string, unknown>>) => Values<S>
  /** The filters in use. */
  listFilters: (search: Values<S>) => { name: keyof S & string; text: string }[]
}

/** What the page of this definition gets from its address. */
export type SearchOf<Definition> = Definition extends PageSearch<infer S> ? Values<S> : never

export function pageSearch<const S extends Shape>(shape: S): PageSearch<S> {
  const params = Object.entries<SearchParam<string>>(shape)
  return {
    parse: (given) =>
      Object.fromEntries(
        params.map(([name, { read }]) => {
          const value = given[name]
          return [name, typeof value === 'string' && value !== '' ? read(value) : undefined]
        }),
        // Each value was read as its parameter says.
      ) as Values<S>,
    listFilters: (search) =>
      params.flatMap(([name, { words }]) => {
        const value = search[name]
        return words && value !== undefined ? [{ name, text: words(value) }] : []
      }),
  }
}

type Words = (value: string) => string

export const text = (words?: Words): SearchParam<string> => ({
  read: (given) => given,
  ...(words && { words }),
})

export const oneOf = <const Value extends string>(
  values: readonly Value[],
  words?: Words,
): SearchParam<Value> => ({
  read: (given) => values.find((value) => value === given),
  ...(words && { words }),
})

/** `1`, or not there. */
export const flag = (words?: string) => oneOf(['1'], words === undefined ? undefined : () => words)

/** An instant of the past as the service writes it: what a view of the past shows. */
export const pastInstant = (): SearchParam<string> => ({
  read: (given) => {
    const at = Date.parse(given)
    return Number.isNaN(at) || at > Date.now() ? undefined : new Date(at).toISOString()
  },
})
