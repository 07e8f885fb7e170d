/**
 * Finds the Node that will run a new application: the one on the PATH of its folder. npm may have
 * put another one before it for this command alone.
 */
import { execFileSync } from 'node:child_process'
import { delimiter } from 'node:path'

/** Its version, in the form of `process.versions.node`. */
export function nodeOfApplications(): string {
  const path = (process.env.PATH ?? '').split(delimiter).filter((part) => !part.includes('node_modules'))
  try {
    const env = { ...process.env, PATH: path.join(delimiter) }
    return execFileSync('node', ['-p', 'process.versions.node'], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return process.versions.node // there is no other one
  }
}
