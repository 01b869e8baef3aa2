import type { Reference } from './model.ts'

/** One entry per address, since NVD repeats the CVE program's references. Keeps the first source and unites tags. */
export function uniteReferences(references: readonly Reference[]): Reference[] {
  const distinct = new Map<string, Reference>()
  for (const reference of references) {
    if (!isLink(reference.url)) continue
    const known = distinct.get(reference.url)
    if (known === undefined) distinct.set(reference.url, reference)
    else if (reference.tags.length > 0)
      distinct.set(reference.url, {
        ...known,
        tags: [...new Set([...known.tags, ...reference.tags])],
      })
  }
  return [...distinct.values()]
}

/** References become links, so `javascript:` and bare text are refused. */
function isLink(url: string): boolean {
  return /^(https?|ftp):\/\/[^\s]+$/i.test(url) && url.length <= 2048
}
