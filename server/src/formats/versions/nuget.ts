/** NuGet: SemVer with a fourth number, and labels that ignore case (https://learn.microsoft.com/nuget/concepts/package-versioning). */
import { ordering } from './ordering.ts'
import { compareSemver, parseSemver } from './semver.ts'

export const nuget = ordering((text) => parseSemver(text.toLowerCase()), compareSemver)
