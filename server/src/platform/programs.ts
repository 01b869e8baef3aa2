/** What people type to start Plimsoll's programs: a release has programs, the sources have npm scripts. */
const RELEASE = { server: 'plimsoll-server', admin: 'plimsoll-admin' }
const SOURCES = { server: 'npm start --', admin: 'npm run admin --' }

/** Arguments may follow. A release is compiled; the sources run as they are. */
export const PROGRAMS = import.meta.filename.endsWith('.js') ? RELEASE : SOURCES
