/**
 * Which Node runs a new application: the one that its folder finds, and not one that npm put before
 * it for this command alone.
 */
import { execFileSync } from 'node:child_process'
import { delimiter } from 'node:path'

/** As `process.versions.node`. */
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
