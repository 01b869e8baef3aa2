/** What people do to start Plimsoll's programs and to complete an installation. A release is unpacked, the sources have npm. */
const RELEASE = {
  server: 'plimsoll-server',
  admin: 'plimsoll-admin',
  installDatabase: findArchive,
  repairDatabase: findArchive,
  installGuides: 'They are missing from this release: unpack it again',
}
const SOURCES = {
  server: 'npm start --',
  admin: 'npm run admin --',
  installDatabase: (name: string) =>
    `Install the optional npm package ${name}, without --omit=optional`,
  repairDatabase: (name: string) =>
    `npm ran no install scripts. Run "npm rebuild ${name}" as the user who installed it`,
  installGuides: 'This service runs from a checkout: build them there with "npm run docs"',
}

/** @param name of the npm package of the embedded PostgreSQL. */
function findArchive(name: string): string {
  const platform = name.slice(name.indexOf('/') + 1)
  return `Unpack plimsoll-postgres-…-${platform}.tar.gz into the folder that holds this release`
}

/** Arguments may follow the commands. A release is compiled; the sources run as they are. */
export const PROGRAMS = import.meta.filename.endsWith('.js') ? RELEASE : SOURCES
