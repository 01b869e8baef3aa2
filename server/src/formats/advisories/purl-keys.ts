import { schemeOfPurlType } from '../ecosystems.ts'
import { parsePurl, purlKey } from '../purl.ts'
import type { VersionScheme } from '../versions/schemes.ts'
import { usableKey } from './keys.ts'

export interface PurlName {
  key: string
  scheme: VersionScheme
  text: string
}

/** Undefined for a text that is not a purl; feeds have some. */
export function keyOfPurl(text: string): PurlName | undefined {
  const purl = text.length <= MAX_LENGTH ? parsePurl(text) : undefined
  const key = purl && usableKey(purlKey(purl))
  return purl && key !== undefined ? { key, scheme: schemeOfPurlType(purl.type), text } : undefined
}

const MAX_LENGTH = 2048
