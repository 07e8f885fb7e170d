/**
 * What Node made of the sources is kept for the next start, which takes half the time then. It lies
 * with the application, where no other user of the machine can put anything: Node runs what it
 * finds there. Where that cannot be written, nothing is kept. `npm start` of this repository names
 * the same folder in `NODE_COMPILE_CACHE`: then it holds from the program's first file on, and Node
 * need not load its compiler of TypeScript (17 MB) where everything is kept already.
 */
import { existsSync } from 'node:fs'
import module from 'node:module'

const folder = 'node_modules/.cache/bindery/compiled'

/** `NODE_COMPILE_CACHE` and `NODE_DISABLE_COMPILE_CACHE` come first, as Node has it. */
export function keepCompiled(): void {
  if (existsSync('node_modules')) module.enableCompileCache(folder)
}

/** Keeps what has been loaded so far, also if this process is killed. */
export function flushCompiled(): void {
  module.flushCompileCache()
}
