/**
 * Measures the effect of changed Node or V8 behaviour against the default, in separate processes
 * without other load.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

type Measured = {
  /** A module that prints a number: one with the change, the other as Node has it. */
  readonly program: (isChanged: boolean) => string
  /** Flags of Node, for both. */
  readonly flags: readonly string[]
}

async function numberPrintedBy(program: string, flags: readonly string[]): Promise<number> {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
  })
  return Number.parseFloat(stdout)
}

/**
 * Fails unless at least one pair of three shows the difference: scheduling of threads and processor
 * caches vary by chance. Throws when a program ends with an error.
 */
export async function assertDiffers(
  { program, flags }: Measured,
  shows: (changed: number, usual: number) => boolean,
): Promise<void> {
  const pairs: string[] = []
  for (let i = 0; i < 3; i += 1) {
    const [changed, usual] = [await numberPrintedBy(program(true), flags), await numberPrintedBy(program(false), flags)]
    if (shows(changed, usual)) return
    pairs.push(`${changed}, and ${usual} as Node has it`)
  }
  assert.fail(`no pair shows it: ${pairs.join('; ')}`)
}
