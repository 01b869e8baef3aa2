/** Reads attributes of devices: a number, true, false or a text. */
import { InvalidArgumentError } from 'commander'

export function readAttributes(
  text: string,
  before: Readonly<Record<string, string | number | boolean>> = {},
): Record<string, string | number | boolean> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Write it as name=value.')
  return { ...before, [text.slice(0, at)]: parseValue(text.slice(at + 1)) }
}

/** 1.10 stays a text: as a number it would be 1.1. */
export function parseValue(text: string): string | number | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?\d/.test(text) && String(Number(text)) === text ? Number(text) : text
}
