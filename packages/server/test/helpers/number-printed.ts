/** A program that has a process of its own, for what a test would disturb or must not be disturbed by: flags of V8, its heap, its compiler. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

/** The number that this module prints, run with these flags of Node. Throws when it ends with an error. */
export async function numberPrintedBy(program: string, flags: readonly string[]): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
  })
  return Number.parseFloat(stdout)
}
