// The bundler of the release writes it into the one file there is.
import manifest from '../package.json' with { type: 'json' }

/** The version of this package. */
export function readVersion(): string {
  return manifest.version
}
