/** NuGet: SemVer with a fourth number, and labels that ignore case (https://learn.microsoft.com/nuget/concepts/package-versioning). */
import { orderBy } from './ordering.ts'
import { compareSemver, parseSemver } from './semver.ts'

export const nuget = orderBy((text) => parseSemver(text.toLowerCase()), compareSemver)
