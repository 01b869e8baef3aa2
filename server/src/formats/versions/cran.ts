/**
 * R's `package_version`: numbers parted by `.` or `-`, a list that is the beginning of another coming first. Haskell's
 * versions are the same lists.
 */
import { compareLists, compareNumbers, ordering, stripZeros } from './ordering.ts'

const SYNTAX = /^\d+(?:[.-]\d+)*$/

export const cran = ordering(
  (text) => (SYNTAX.test(text) ? text.split(/[.-]/).map(stripZeros) : undefined),
  (a, b) => compareLists(a, b, compareNumbers),
)
