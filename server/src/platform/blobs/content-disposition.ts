/**
 * The header that gives a download its name (RFC 6266): the exact name as RFC 8187 encodes it, and one in ASCII for
 * clients that do not support it.
 */
export function formatAttachmentHeader(fileName: string): string {
  const ascii = fileName.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_')
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encodeExtValue(fileName)}`
}

/** `encodeURIComponent` leaves characters as they are that RFC 8187 (`attr-char`) does not allow. */
function encodeExtValue(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
