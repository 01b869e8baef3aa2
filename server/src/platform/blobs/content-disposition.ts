/**
 * The header that gives a download its name (RFC 6266): the exact name as RFC 8187 encodes it, and one in ASCII for
 * clients that know no better.
 */
export function attachmentHeader(fileName: string): string {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeExtValue(fileName)}`
}

/** RFC 8187 `attr-char` is narrower than what `encodeURIComponent` leaves alone. */
function encodeExtValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
