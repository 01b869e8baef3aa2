/** A device matches when it has all tags of `all`, at least one of `any`, and none of `none`. */
export interface TagRule {
  all?: string[]
  any?: string[]
  none?: string[]
}

/** A rule without any tag would match every device. */
export function hasTags({ all = [], any = [], none = [] }: TagRule): boolean {
  return all.length + any.length + none.length > 0
}
