/**
 * R's `package_version`: numbers with `.` or `-` between them. A list that is the beginning of another one comes first.
 * Haskell's versions are such lists too.
 */
import { compareLists, compareNumbers, orderBy, stripZeros } from './ordering.ts'

const SYNTAX = /^\d+(?:[.-]\d+)*$/

export const cran = orderBy(
  (text) => (SYNTAX.test(text) ? text.split(/[.-]/).map(stripZeros) : undefined),
  (a, b) => compareLists(a, b, compareNumbers),
)
