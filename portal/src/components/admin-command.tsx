/** A command of the service's operator, by the name that it has where this build runs. */
export function AdminCommand({ command }: { command: string }) {
  return (
    <code>
      {PROGRAM} {command}
    </code>
  )
}

declare global {
  interface ImportMetaEnv {
    readonly VITE_PLIMSOLL_ADMIN?: string
  }
}

/** A release has a program, the sources have an npm script. Written so that the build leaves out the other one. */
const PROGRAM = import.meta.env.VITE_PLIMSOLL_ADMIN ?? 'npm run admin --'
