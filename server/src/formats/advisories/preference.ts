/** By which advisory a vulnerability is described. */
import { ADVISORY_SOURCES, type AdvisorySource } from './model.ts'

interface NamedAdvisory {
  source: AdvisorySource
  id: string
}

/**
 * The order in which advisories may describe a vulnerability: the CVE List, whose text comes from the assigner of the id;
 * then NVD; then OSV; then distributions' documents. In OSV, GitHub's advisories come first, since people review them; others follow by id.
 */
export function comparePreference(a: NamedAdvisory, b: NamedAdvisory): number {
  return (
    ADVISORY_SOURCES.indexOf(a.source) - ADVISORY_SOURCES.indexOf(b.source) ||
    Number(b.id.startsWith('GHSA-')) - Number(a.id.startsWith('GHSA-')) ||
    (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)
  )
}

/** `comparePreference` as sort keys in SQL. */
export function preferenceSql(source: string, id: string): string {
  return `array_position('{${ADVISORY_SOURCES.join(',')}}'::text[], ${source}), not starts_with(${id}, 'GHSA-'), ${id}`
}
