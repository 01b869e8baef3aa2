import { contentUuid } from '../../formats/content-uuid.ts'

/** The id of what these parts stand for. */
export function contentId(...parts: readonly unknown[]): string {
  return contentUuid(JSON.stringify(parts))
}
