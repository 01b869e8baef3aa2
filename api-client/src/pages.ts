interface Page {
  hasMore: boolean
  nextCursor?: string
}

/** The pages of a list, one after the other, each asked for when the one before was used. */
export async function* readAllPages<P extends Page>(
  readPage: (cursor: { cursor?: string }) => Promise<P>,
): AsyncGenerator<P> {
  let page = await readPage({})
  yield page
  while (page.hasMore && page.nextCursor !== undefined) {
    page = await readPage({ cursor: page.nextCursor })
    yield page
  }
}
