/** By its tags a device joins a cohort: it has all of `all`, one of `any`, and none of `none`. */
export interface TagRule {
  all?: string[]
  any?: string[]
  none?: string[]
}

/** Every device is meant by a rule without tags, which is hardly what anybody means. */
export function namesTags({ all = [], any = [], none = [] }: TagRule): boolean {
  return all.length + any.length + none.length > 0
}
