import { getPurlTypeScheme } from '../ecosystems.ts'
import { parsePurl, formatPurlKey } from '../purl.ts'
import type { VersionScheme } from '../versions/schemes.ts'
import { checkKey } from './keys.ts'

export interface PurlName {
  key: string
  scheme: VersionScheme
  text: string
}

/** Undefined for a text that is not a purl; feeds have some. */
export function readPurlKey(text: string): PurlName | undefined {
  const purl = text.length <= MAX_LENGTH ? parsePurl(text) : undefined
  const key = purl && checkKey(formatPurlKey(purl))
  return purl && key !== undefined ? { key, scheme: getPurlTypeScheme(purl.type), text } : undefined
}

const MAX_LENGTH = 2048
