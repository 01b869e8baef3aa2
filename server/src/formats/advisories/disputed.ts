/** Whether a record says that somebody disputes the vulnerability, such as the maker of the product. */
import type { Advisory } from './model.ts'

/** The tag of CVE records and NVD (github.com/CVEProject/cve-schema, tags-cna). Unlike the schema, tags of other forms are no fault. */
export function hasDisputedTag(tags: unknown): boolean {
  return (
    Array.isArray(tags) &&
    tags.some((tag) => typeof tag === 'string' && tag.trim().toLowerCase() === 'disputed')
  )
}

/** How records said so before there was a tag; it may follow other marks, such as `** UNSUPPORTED WHEN ASSIGNED **`. */
const MARK = /^\s*(?:\*\*[^*]{1,60}\*\*[\s:]*)*?\*\*\s*DISPUTED\s*\*\*/i

/** Beyond the tag only the mark at the beginning counts: prose about a dispute may tell of another, or of its end. */
export function readDispute(
  isTagged: boolean,
  texts: readonly (string | undefined)[],
): Pick<Advisory, 'isDisputed'> {
  const isDisputed = isTagged || texts.some((text) => text !== undefined && MARK.test(text))
  return isDisputed ? { isDisputed } : {}
}
