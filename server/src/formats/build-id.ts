/** The id of a build as tools compare it: a hash is the same one in upper case. */
export const normaliseBuildId = (buildId: string): string =>
  /^[0-9a-f]{6,}$/i.test(buildId) ? buildId.toLowerCase() : buildId
