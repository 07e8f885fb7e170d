/** A document of the shop as its own command line prints it. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { program } from 'bindery-server/test'

const run = promisify(execFile)
const shop = join(import.meta.dirname, '../..')

/** The command inherits nothing from the environment of the tests. */
export async function printed(document: 'openapi' | 'sdl', env: Record<string, string> = {}): Promise<string> {
  const { PATH, HOME, NODE_COMPILE_CACHE } = process.env
  const { stdout } = await run(process.execPath, [program, document], {
    cwd: shop,
    env: { PATH, HOME, NODE_COMPILE_CACHE, ...env },
  })
  return stdout
}
