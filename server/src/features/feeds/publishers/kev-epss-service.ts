/** CISA's catalogue (KEV), FIRST's scores (EPSS), ENISA's list (EUVD) and the products of endoflife.date: each is one file. */
import { type FeedIo, type FeedPart, writePartMarks } from './feed-part.ts'

export async function* planKevParts(io: FeedIo): AsyncGenerator<FeedPart> {
  yield wholeFile(io, 'catalogue', io.settings.urls.kev)
}

export async function* planEpssParts(io: FeedIo): AsyncGenerator<FeedPart> {
  yield wholeFile(io, 'scores', io.settings.urls.epss)
}

export async function* planEuvdParts(io: FeedIo): AsyncGenerator<FeedPart> {
  yield wholeFile(io, 'exploited', io.settings.urls.euvd)
}

export async function* planEndoflifeParts(io: FeedIo): AsyncGenerator<FeedPart> {
  yield wholeFile(io, 'products', io.settings.urls.endoflife)
}

function wholeFile(io: FeedIo, name: string, url: string): FeedPart {
  const { etag, lastModified } = io.parts.get(name) ?? {}
  return {
    name,
    total: 1,
    fetch: async () => {
      const file = await io.fetchFile({ url, known: { etag, lastModified } })
      if (!file.isNew) return {}
      return { path: file.path, isSnapshot: true, isWhole: true, marks: writePartMarks(file) }
    },
  }
}
