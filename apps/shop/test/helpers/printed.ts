/** A document of the shop as its own command line prints it. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const bindery = fileURLToPath(new URL('../../bindery.ts', import.meta.url))

/** The command inherits nothing from the environment of the tests. */
export async function printed(document: 'openapi' | 'sdl', env: Record<string, string> = {}): Promise<string> {
  const { PATH, HOME } = process.env
  const { stdout } = await run(process.execPath, [bindery, document], { env: { PATH, HOME, ...env } })
  return stdout
}
