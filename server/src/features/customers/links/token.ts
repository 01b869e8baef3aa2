/** Where the token of a link stands. */

interface Asked {
  headers: { authorization?: string | undefined }
  query: { token?: string }
}

/** In the header for programs, so that it stands in no address; in the address for people. */
export function readToken({ headers, query }: Asked): string | undefined {
  return /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? query.token
}
