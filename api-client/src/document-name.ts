/** What a document calls itself, as `documents` of a replacement preview states it, read from the beginning of an SBOM. */
export function readDocumentName(head: string): string | undefined {
  const [, uuid] = /\bserialNumber"?\s*[:=]\s*"(?:urn:uuid:)?([0-9a-f-]{36})"/i.exec(head) ?? []
  if (uuid !== undefined) {
    // The first one in JSON stands before the components, whose versions are texts.
    const root = /<bom\b[^>]*>/.exec(head)?.[0]
    const [, version = '1'] =
      (root === undefined
        ? /"version"\s*:\s*(\d+)/.exec(head)
        : /\bversion\s*=\s*"(\d+)"/.exec(root)) ?? []
    return `urn:cdx:${uuid.toLowerCase()}/${version}`
  }
  const [, namespace] =
    /"documentNamespace"\s*:\s*"([^"\\]+)"/.exec(head) ??
    /^DocumentNamespace:\s*(\S+)/m.exec(head) ??
    []
  return namespace
}
